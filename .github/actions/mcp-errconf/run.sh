# Runs the program: annotations, the job's summary, and reports as files. Reads ANNOTATIONS, ARGS, BASELINE, BINARY, SERVER
# and STRICT; the exit code is the program's.
set -euo pipefail

# A comment may have 65,536 characters, and a job's summary one MiB.
longest_comment=60000 longest_summary=1000000

# On Windows, slashes alone, which its programs take as well.
if command -v cygpath >/dev/null; then RUNNER_TEMP=$(cygpath --mixed "$RUNNER_TEMP"); fi
at=$(mktemp -d "$RUNNER_TEMP/mcp-errconf-reports-XXXXXX")
# words NAME LINE: adds the words of a line to the command, split by a shell's quotation marks; nothing in it is run or
# expanded.
words() {
    if [[ -z ${2//[[:space:]]/} ]]; then return; fi
    xargs -n 1 printf '%s\n' <<<"$2" >"$at/words" || { echo "::error title=mcp-errconf::\`$1\`: a quotation mark is not closed"; exit 2; }
    while IFS= read -r word; do command+=("$word"); done <"$at/words"
}

command=("$BINARY" run --report human --report "markdown=$at/summary.md" --report "sarif=$at/errors.sarif"
    --report "json=$at/errors.json" --report "junit=$at/errors.xml")
if [[ $ANNOTATIONS == true ]]; then command+=(--report "github=$at/annotations.txt"); fi
if [[ $STRICT == true ]]; then command+=(--strict); fi
if [[ -n $BASELINE ]]; then command+=(--baseline "$BASELINE"); fi
words args "$ARGS"
if [[ -n ${SERVER//[[:space:]]/} ]]; then command+=(--); fi
words server "$SERVER"

code=0
# What a server sent is in the log: nothing of it is a command to the runner.
token=mcp-errconf-$RANDOM$RANDOM$RANDOM
echo "::stop-commands::$token"
"${command[@]}" </dev/null || code=$?
echo "::$token::"

# Without a report, such as after a mistake in the options, there is nothing to show but the log.
if [[ -s $at/annotations.txt ]]; then cat "$at/annotations.txt"; fi
if [[ -s $at/summary.md ]]; then
    head -c "$longest_summary" "$at/summary.md" >>"$GITHUB_STEP_SUMMARY"
    # The first line, which no reader sees, tells this comment from others.
    {
        echo "<!-- mcp-errconf ${GITHUB_JOB:-} -->"
        if (($(wc -c <"$at/summary.md") > longest_comment)); then
            # Whole lines only.
            head -c "$longest_comment" "$at/summary.md" | sed '$d'
            printf '\n\nThis is the beginning: the whole is in the summary of the job.\n'
        else
            cat "$at/summary.md"
        fi
    } >"$at/comment.md"
    for output in sarif=errors.sarif json=errors.json junit=errors.xml comment=comment.md; do
        echo "${output%%=*}=$at/${output#*=}" >>"$GITHUB_OUTPUT"
    done
fi
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
