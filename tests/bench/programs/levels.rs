// SPDX-License-Identifier: Apache-2.0
// Runs for ever: sorting with closures, maps, boxed calls and panics that are caught.

use std::collections::{BTreeMap, HashMap};
use std::panic;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

#[inline(never)]
fn sort_some(state: &mut u64) -> u64 {
    let mut words: Vec<String> = (0..400).map(|_| format!("{:x}", next(state))).collect();
    words.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut counts: HashMap<String, u64> = HashMap::new();
    for word in &words {
        *counts.entry(word[..2.min(word.len())].to_string()).or_insert(0) += 1;
    }
    let ordered: BTreeMap<_, _> = counts.into_iter().collect();
    ordered.values().sum()
}

#[inline(never)]
fn descend(depth: u32, call: &dyn Fn(&mut u64) -> u64, state: &mut u64) -> u64 {
    let held = vec![depth; 4];
    if depth == 0 {
        return call(state);
    }
    descend(depth - 1, call, state) + u64::from(held[1])
}

#[inline(never)]
fn fail(state: &mut u64) -> u64 {
    let values: Vec<u64> = (0..next(state) % 4).collect();
    values[3]
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let mut state = 1;
    let mut sum = 0u64;
    loop {
        sum = sum.wrapping_add(descend(20, &sort_some, &mut state));
        let caught = panic::catch_unwind(|| descend(8, &fail, &mut (state ^ sum)));
        sum = sum.wrapping_add(caught.unwrap_or(1));
        std::hint::black_box(sum);
    }
}
