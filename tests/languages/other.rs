// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#![crate_type = "lib"]
#![no_std]
pub enum Shape { Round(f32), Square { side: u64 }, Empty }
#[no_mangle]
pub extern "C" fn rust_entry(s: &Shape) -> u64 {
	match s { Shape::Round(r) => *r as u64, Shape::Square { side } => *side, Shape::Empty => 0 }
}
#[no_mangle]
pub extern "C" fn rust_call(run: extern "C" fn()) { run() }
