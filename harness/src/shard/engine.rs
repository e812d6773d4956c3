//! The engines whose variables say which of several runs this one is.
//!
//! The main function is [`shard`]. The names are data: `engines.toml` beside this file.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Shard;

/// What looks a variable of the environment up.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What to write where the variables do not tell.
const BY_HAND: &str = "write `--shard I/N`";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineFile {
    engine: Vec<Engine>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    name: String,
    index: String,
    begins: FirstIndex,
    count: Option<String>,
}

/// The index of an engine's first run.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FirstIndex {
    Number(u64),
    Variable(String),
}

static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let file: EngineFile = toml::from_str(include_str!("engines.toml")).expect("a test reads this file");
    file.engine
});

/// The shard that the engine's variables name; `given` is the number of shards, if the user gave it.
pub(super) fn shard(variables: Variables<'_>, given: Option<u64>) -> Result<Shard, String> {
    let set: Vec<&Engine> = ENGINES.iter().filter(|engine| variables(&engine.index).is_some()).collect();
    match set[..] {
        [] => Err(no_engine(variables)),
        [engine] => engine.shard(variables, given),
        [one, other, ..] => Err(format!(
            "`--shard auto`: both {} (`{}`) and {} (`{}`) number this run; {BY_HAND} with the one that is meant",
            one.name, one.index, other.name, other.index
        )),
    }
}

fn no_engine(variables: Variables<'_>) -> String {
    let has_count =
        |engine: &&Engine| engine.count.as_deref().is_some_and(|count| variables(count).is_some());
    if let Some(engine) = ENGINES.iter().find(has_count) {
        let count = engine.count.as_deref().unwrap_or_default();
        return format!(
            "`--shard auto`: {} sets `{count}`, but not `{}`, which numbers this run; {BY_HAND}",
            engine.name, engine.index
        );
    }
    let names: Vec<String> =
        ENGINES.iter().map(|engine| format!("{} (`{}`)", engine.name, engine.index)).collect();
    format!(
        "`--shard auto`: no variable numbers this run; known are those of {}; {BY_HAND}",
        names.join(", ")
    )
}

impl Engine {
    fn shard(&self, variables: Variables<'_>, given: Option<u64>) -> Result<Shard, String> {
        let index = number(variables, &self.index)?;
        let begins = match &self.begins {
            FirstIndex::Number(begins) => *begins,
            FirstIndex::Variable(name) => number(variables, name)?,
        };
        let said = self.count.as_deref().map(|name| number(variables, name).map(|count| (name, count)));
        let count = match (said.transpose()?, given) {
            (Some((name, count)), Some(given)) if count != given => {
                return Err(format!("`--shard auto/{given}`: `{name}` is {count}; write `--shard auto`"));
            }
            (Some((_, count)), _) | (None, Some(count)) => count,
            (None, None) => {
                return Err(format!(
                    "`--shard auto`: {} does not say how many runs there are; write `--shard auto/N`",
                    self.name
                ));
            }
        };
        let part = index.checked_sub(begins).and_then(|index| Shard::new(index + 1, count));
        part.ok_or_else(|| {
            format!(
                "`--shard auto`: `{}` is {index}, which is none of {count} runs numbered from {begins}; {BY_HAND}",
                self.index
            )
        })
    }
}

fn number(variables: Variables<'_>, name: &str) -> Result<u64, String> {
    let value = variables(name).ok_or_else(|| format!("`--shard auto`: `{name}` is not set; {BY_HAND}"))?;
    value.parse().map_err(|_| format!("`--shard auto`: `{name}` is `{value}`, which is no number; {BY_HAND}"))
}
