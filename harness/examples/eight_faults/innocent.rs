//! Tools without a fault, which stand beside the faulty ones.
//!
//! The main type is [`Innocent`].

use serde_json::{Map, Value, json};

use crate::refusal::{Refusal, quoted};
use crate::shape::{Parameter, Shape, whole};
use crate::tool::{Effect, Tool, Work};

/// A tool without a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Innocent {
    CountWords,
    AddNumbers,
    DaysInMonth,
    DescribeColor,
    ReverseText,
    FindCity,
}

/// How many there are.
pub(crate) const COUNT: usize = 6;

/// All of them.
pub(crate) const ALL: [Innocent; COUNT] = [
    Innocent::CountWords,
    Innocent::AddNumbers,
    Innocent::DaysInMonth,
    Innocent::DescribeColor,
    Innocent::ReverseText,
    Innocent::FindCity,
];

const CITIES: [&str; 4] = ["Bergen", "Lima", "Osaka", "Tunis"];

impl Innocent {
    /// The tool as it is listed.
    pub(crate) fn tool(self) -> Tool {
        let text = |name| Parameter::required(name, "The text.", Shape::Text { least: 0 });
        let (name, description, parameters) = match self {
            Self::CountWords => ("count_words", "Counts the words of a text.", vec![text("text")]),
            Self::AddNumbers => {
                let numbers = Parameter::required("numbers", "What is added.", Shape::Numbers { least: 1 });
                ("compute_sum", "Adds numbers.", vec![numbers])
            }
            Self::DaysInMonth => {
                let integer = |most| Shape::Integer { least: 1, most: Some(most) };
                let year = Parameter::required("year", "The year.", integer(9999));
                let month = Parameter::required("month", "The month.", integer(12));
                ("days_in_month", "Tells how many days a month has.", vec![year, month])
            }
            Self::DescribeColor => {
                let color = Shape::Choice(vec!["red", "green", "blue"]);
                let color = Parameter::required("color", "The colour.", color);
                ("describe_color", "Describes a colour.", vec![color])
            }
            Self::ReverseText => {
                let times = Shape::Integer { least: 0, most: Some(20) };
                let times = Parameter::optional("times", "How often.", times);
                ("reverse_text", "Turns a text around.", vec![text("text"), times])
            }
            Self::FindCity => {
                let city = Parameter::required("city", "Its name.", Shape::Text { least: 1 });
                ("find_city", "Finds a city by its name.", vec![city.example(json!(CITIES[0]))])
            }
        };
        Tool {
            name: name.to_owned(),
            description: description.to_owned(),
            effect: Effect::Reads,
            parameters,
            work: Work::Innocent(self),
            fault: None,
        }
    }

    /// What a call comes to; the arguments are those that the schema allows.
    pub(crate) fn work(self, arguments: &Map<String, Value>) -> Result<String, Refusal> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(whole);
        match self {
            Self::CountWords => Ok(format!("{} words.", text("text").split_whitespace().count())),
            Self::AddNumbers => {
                let numbers = arguments.get("numbers").and_then(Value::as_array);
                let sum: f64 = numbers.into_iter().flatten().filter_map(Value::as_f64).sum();
                Ok(format!("The sum is {sum}."))
            }
            Self::DaysInMonth => {
                let (year, month) = (number("year").unwrap_or(1), number("month").unwrap_or(1));
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let days = match month {
                    2 => 28 + i32::from(leap),
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                Ok(format!("{days} days."))
            }
            Self::DescribeColor => Ok(format!("A fine colour: {}.", text("color"))),
            Self::ReverseText => {
                let turns = number("times").unwrap_or(1);
                let turned: String = match turns % 2 {
                    0 => text("text").to_owned(),
                    _ => text("text").chars().rev().collect(),
                };
                Ok(turned.chars().take(200).collect())
            }
            Self::FindCity => match CITIES.contains(&text("city")) {
                true => Ok(format!("{} lies at the sea.", text("city"))),
                false => Err(Refusal::input(format!(
                    "The city {} is not known. Valid values: {}.",
                    quoted(text("city")),
                    CITIES.join(", ")
                ))),
            },
        }
    }
}
