//! Measures our library against the reference's in one run and prints the ratios.
//!
//! Instructions are counted by callgrind on the host's libibverbs, each library with the same
//! program; they are exact and repeat. Times are the best of interleaved batches under the
//! simulator and include its share, so a ratio near 1 says little there: instructions are the
//! gate, times are information.

mod measure;

use clap::Parser;
use ctest_runner::place::Places;
use measure::{Figure, Library, Measure, Program};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure our library against the reference's.
#[derive(Parser, Debug)]
struct Options {
    /// Rounds in a batch
    #[arg(long, default_value_t = 200)]
    rounds: u64,
    /// Interleaved batches; the best counts
    #[arg(long, default_value_t = 9)]
    batches: u64,
    /// Rounds under callgrind
    #[arg(long, default_value_t = 20)]
    counted: u64,
    /// Where the figures are kept
    #[arg(long)]
    json: Option<PathBuf>,
    /// Fail if any count of instructions or size is above that part of the reference's
    #[arg(long)]
    limit: Option<f64>,
    /// The simulator, if not the one in the target folder
    #[arg(long, env = "MLX5_SIM")]
    sim: Option<PathBuf>,
    /// Our library, if not the one in the target folder
    #[arg(long, env = "MLX5_LIBRARY")]
    library: Option<PathBuf>,
}

/// What is measured, as it stands in the table.
const CASES: [(&str, &str, u64); 5] = [
    ("open_close", "open + close", 10),
    ("general_cmd", "devx_general_cmd", 1),
    ("object", "devx_obj_create + destroy", 1),
    ("umem", "devx_umem_reg + dereg", 1),
    ("get_event", "devx_get_event", 1),
];

/// Cases of the data path, as they stand in the table.
const DATAPATH: [(&str, &str); 15] = [
    ("write", "post_send, RDMA write"),
    ("send", "post_send, send"),
    ("inline32", "post_send, 32 bytes inline"),
    ("list16", "post_send, list of 16"),
    ("sge2", "post_send, 2 elements"),
    ("sge8", "post_send, 8 elements"),
    ("ud", "post_send, UD"),
    ("build", "ibv_wr_*, RDMA write"),
    ("recv", "post_recv"),
    ("srq", "post_srq_recv"),
    ("poll1", "poll_cq, 1"),
    ("poll16", "poll_cq, 16"),
    ("poll16_128", "poll_cq, 16 of 128 bytes"),
    ("poll0", "poll_cq, nothing"),
    ("lazy", "next_poll + 3 reads"),
];
/// Operations in a batch of the data path.
const OPERATIONS: u64 = 256;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("bench: {e}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, String> {
    let places = Places::find(options.sim.clone(), options.library.clone())?;
    let ours = Library::ours(&places)?;
    let reference = Library::reference(&places)?;
    let measure = Measure::new(&places)?;
    let mut figures = Vec::new();
    for (case, title, slower) in CASES {
        let counted = options.counted.div_ceil(slower);
        figures.push(Figure {
            title: title.into(),
            unit: "instructions",
            gate: true,
            reference: measure.instructions(Program::Loops, case, counted, &reference)?,
            ours: measure.instructions(Program::Loops, case, counted, &ours)?,
        });
        let [r, o] = measure.times(
            Program::Loops,
            case,
            options.rounds.div_ceil(slower),
            options.batches,
            [&reference, &ours],
        )?;
        figures.push(Figure { title: title.into(), unit: "ns", gate: false, reference: r, ours: o });
    }
    for (case, title) in DATAPATH {
        let count = |library| measure.instructions(Program::Datapath, case, OPERATIONS, library);
        figures.push(Figure {
            title: title.into(),
            unit: "instructions",
            gate: true,
            reference: count(&reference)?,
            ours: count(&ours)?,
        });
        let [r, o] =
            measure.times(Program::Datapath, case, OPERATIONS, options.batches, [&reference, &ours])?;
        figures.push(Figure { title: title.into(), unit: "ns", gate: false, reference: r, ours: o });
    }
    let [r, o] = measure.loading(options.batches * 5, [&reference, &ours])?;
    figures.push(Figure { title: "dlopen".into(), unit: "ns", gate: false, reference: r, ours: o });
    figures.push(Figure {
        title: "library".into(),
        unit: "bytes",
        gate: true,
        reference: reference.size()?,
        ours: ours.size()?,
    });

    println!("{:<28} {:>13} {:>12} {:>12} {:>7}", "", "", reference.name, ours.name, "ratio");
    for f in &figures {
        println!("{:<28} {:>13} {:>12.0} {:>12.0} {:>7.2}", f.title, f.unit, f.reference, f.ours, f.ratio());
    }
    let path = options.json.clone().unwrap_or_else(|| places.work.join("../bench.json"));
    let list: Vec<Value> = figures
        .iter()
        .map(|f| json!({"what": f.title, "unit": f.unit, "reference": f.reference, "ours": f.ours, "ratio": f.ratio()}))
        .collect();
    let all = json!({"reference": reference.name, "figures": list});
    let text = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?;
    std::fs::write(&path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    let above: Vec<&Figure> =
        figures.iter().filter(|f| f.gate && options.limit.is_some_and(|limit| f.ratio() > limit)).collect();
    for f in &above {
        println!("{} ({}): {:.2} of the reference", f.title, f.unit, f.ratio());
    }
    Ok(above.is_empty())
}
