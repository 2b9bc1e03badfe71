//! What a QP command of the application changes in the library.

use prm::opcode;

/// Which posts a QP takes from now on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Posting {
    /// Receives.
    Receive,
    /// Sends, with real completions.
    Send,
    /// None.
    Nothing,
}

/// The effect of a successful modify command with this opcode (`spec`: DEVX, table 2.2). None if
/// nothing changes.
pub fn effect(op: u16) -> Option<Posting> {
    match op {
        opcode::RST2INIT_QP | opcode::INIT2INIT_QP => Some(Posting::Receive),
        opcode::RTR2RTS_QP | opcode::RTS2RTS_QP | opcode::SQERR2RTS_QP | opcode::SQD_RTS_QP => {
            Some(Posting::Send)
        }
        opcode::QP_2RST => Some(Posting::Nothing),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_moves_of_the_table_change_posting() {
        let of = |p: Posting| (0..=0xffff).filter(|op| effect(*op) == Some(p)).collect::<Vec<u16>>();
        assert_eq!(of(Posting::Receive), [0x502, 0x50e]);
        assert_eq!(of(Posting::Send), [0x504, 0x505, 0x506, 0x50c]);
        assert_eq!(of(Posting::Nothing), [0x50a]);
    }
}
