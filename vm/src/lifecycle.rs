//! Drivers that go away under open contexts, and come back.

use crate::bed::Bed;
use crate::harness::{Tally, compile_file, difference};
use crate::machine::Spec;
use crate::{kernel, kernel_log, paths, root};
use anyhow::Result;

/// What `tests/surprise.c` prints, with any library, on any kernel.
const SURPRISE: &str = include_str!("../tests/surprise.expected");
/// What `tests/reload` prints.
const RELOAD: &str = "start: back
unbind and bind: back
unbind and bind: back
mlx5_ib reloaded: back
all modules reloaded: back
removed from the bus and found again: back
traffic after it all
";

/// Run both on every kernel.
pub fn run(sides: &[String], like: &Spec, tally: &mut Tally) -> Result<()> {
    let tests = paths::checkout().join("vm/tests");
    let binary = compile_file(&tests.join("surprise.c"), &paths::built()?.join("vm-tests"))?;
    let release = root::RELEASES[0].0;
    for (name, _) in kernel::KERNELS {
        let mut bed = Bed::new(Spec { kernel: name.to_owned(), ..like.clone() })?;
        let place = format!("kernel {name} {}", like.port);
        for side in sides {
            let ran = bed.run(release, &crate::library(side)?, 120, &[&binary.to_string_lossy()])?;
            let problem = (ran.out != SURPRISE)
                .then(|| format!("  - expected, + here\n{}{}", difference(SURPRISE, &ran.out), ran.err));
            tally.check(&format!("surprise: {side} ({place})"), problem);
        }
        let ran = bed.run(release, "reference", 300, &[&tests.join("reload").to_string_lossy()])?;
        let problem = (ran.out != RELOAD)
            .then(|| format!("  - expected, + here\n{}{}", difference(RELOAD, &ran.out), ran.err));
        tally.check(&format!("reload ({place})"), problem);
        let lines = kernel_log::look(&mut bed, &["surprise", "reload"])?;
        tally.check(&format!("kernel log of it ({place})"), (!lines.is_empty()).then(|| lines.join("\n")));
    }
    Ok(())
}
