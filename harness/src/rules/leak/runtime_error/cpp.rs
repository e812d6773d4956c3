//! Errors of C and C++, seen by running small programs (GCC 12) with libstdc++ and glibc.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Cpp,
        tells: "the error text of C++'s standard library",
        regex: r"\b(?:std::\w+|St\d\d?(?:bad_|system_|invalid_|out_of_|runtime_|logic_|length_|domain_|range_)\w+|basic_(?:string|ios|filebuf|string_view)::\w+|filesystem error: |(?:vector|deque|map|array|bitset|stoi|list|optional)::(?:_M_range_check|at\b|_M_\w+|reserve|_S_\w+)|_M_range_check|locale::facet::_S_create|iostream error|bad_function_call|bad optional access|bad_variant_access|bad_any_cast|cannot create std::\w+|__gnu_cxx|_Map_base::at|random_device::)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "filesystem error: cannot open file: No such file or directory [/workspace/a]",
            "vector::_M_range_check: __n (which is 5) >= this->size() (which is 3)",
        ],
        misses: &["could not open /workspace/a: the file system is read-only"],
    },
    // `std::stoi` throws with its own name and nothing else.
    Pattern {
        language: Language::Cpp,
        tells: "a bare error text of C++'s standard library",
        regex: r"(?:sto(?:i|l|ul|ll|ull|f|d|ld)|map::at|bad allocation|regex_error|Success)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["Error: stoi"],
        misses: &["stop"],
    },
    // nlohmann::json numbers its exceptions.
    Pattern {
        language: Language::Cpp,
        tells: "the error text of a C++ library",
        regex: r"\[json\.exception\.\w+\.\d+\]|terminate called (?:after throwing|without an active)|\bboost::\w+|\bwhat\(\): ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["[json.exception.type_error.302] type must be string, but is null"],
        misses: &["the type must be string, but is null"],
    },
    Pattern {
        language: Language::Cpp,
        tells: "the error text of C's `perror`",
        regex: r"(?:f?open(?:at|dir)?|f?read|f?write|l?f?stat|connect|bind|listen|accept|socket|exec(?:v|vp|ve|l|lp)|fork|v?fork|malloc|calloc|realloc|mmap|mkdir|rmdir|unlink|rename|chdir|getcwd|pipe2?|dup2?|ioctl|fcntl|select|poll|send|recv|kill|waitpid|setrlimit|opendir|readdir|truncate|ftruncate|chmod|chown|symlink|link|readlink|realpath|posix_spawnp?|getaddrinfo|popen|system|fsync|lseek): (?i:no such file or directory|permission denied|not a directory|is a directory|file exists|too many levels of symbolic links|file name too long|invalid argument|directory not empty|read-only file system|no space left on device|too many open files|device or resource busy|input/output error|connection refused|operation not permitted|broken pipe|bad file descriptor|resource temporarily unavailable|argument list too long|cannot allocate memory|bad address|exec format error|no such process|no child processes|file too large|name or service not known|temporary failure in name resolution)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["open: No such file or directory"],
        misses: &["could not open /workspace/a: no such file or directory"],
    },
];
