// SPDX-License-Identifier: Apache-2.0
// Iterators, closures, generics and traits: what rustc inlines into one another.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

trait Measured {
    fn measure(&self) -> usize;
}

impl Measured for String {
    fn measure(&self) -> usize {
        self.chars().filter(|letter| letter.is_alphabetic()).count()
    }
}

impl<T: Measured> Measured for Vec<T> {
    fn measure(&self) -> usize {
        self.iter().map(Measured::measure).sum()
    }
}

fn count_words(text: &str) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    counts
}

fn ranked<K: Ord + Clone>(counts: &HashMap<K, u32>) -> Vec<(K, u32)> {
    let mut pairs: Vec<_> = counts.iter().map(|(word, count)| (word.clone(), *count)).collect();
    pairs.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    pairs
}

fn show<T: Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = arguments.iter().cycle().take(50).cloned().collect::<Vec<_>>().join(" and then ");
    let counts = count_words(&text);
    let lengths: BTreeMap<usize, Vec<String>> = counts.keys().fold(BTreeMap::new(), |mut map, word| {
        map.entry(word.len()).or_insert_with(Vec::new).push(word.clone());
        map
    });
    for (word, count) in ranked(&counts) {
        println!("{count} {word}");
    }
    for (length, words) in &lengths {
        println!("{length}: {} letters in {}", words.measure(), show(words));
    }
}
