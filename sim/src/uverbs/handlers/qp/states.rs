//! The state machine of queue pairs: which moves there are, and which attributes each
//! needs and allows.

use super::Kind;

/// States, as verbs number them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// After creation.
    #[default]
    Reset = 0,
    /// Receives can be posted.
    Init = 1,
    /// Receives.
    Rtr = 2,
    /// Sends as well.
    Rts = 3,
    /// Send queue drained.
    Sqd = 4,
    /// Send queue error.
    Sqe = 5,
    /// Error.
    Err = 6,
}

impl State {
    /// The state of a verbs number.
    pub fn from_verbs(n: u32) -> Option<State> {
        [State::Reset, State::Init, State::Rtr, State::Rts, State::Sqd, State::Sqe, State::Err]
            .get(n as usize)
            .copied()
    }

    /// The state of the device's number: send queue error and drained change places.
    pub fn from_device(n: u64) -> State {
        match n {
            1 => State::Init,
            2 => State::Rtr,
            3 => State::Rts,
            4 => State::Sqe,
            5 => State::Sqd,
            6 => State::Err,
            _ => State::Reset,
        }
    }
}

/// Attributes of a modification (`enum ibv_qp_attr_mask`).
#[allow(missing_docs)]
pub mod attr {
    pub const STATE: u32 = 1;
    pub const CUR_STATE: u32 = 1 << 1;
    pub const EN_SQD_NOTIFY: u32 = 1 << 2;
    pub const ACCESS: u32 = 1 << 3;
    pub const PKEY: u32 = 1 << 4;
    pub const PORT: u32 = 1 << 5;
    pub const QKEY: u32 = 1 << 6;
    pub const AV: u32 = 1 << 7;
    pub const MTU: u32 = 1 << 8;
    pub const TIMEOUT: u32 = 1 << 9;
    pub const RETRY: u32 = 1 << 10;
    pub const RNR_RETRY: u32 = 1 << 11;
    pub const RQ_PSN: u32 = 1 << 12;
    pub const MAX_RD_ATOMIC: u32 = 1 << 13;
    pub const ALT_PATH: u32 = 1 << 14;
    pub const MIN_RNR: u32 = 1 << 15;
    pub const SQ_PSN: u32 = 1 << 16;
    pub const MAX_DEST_RD_ATOMIC: u32 = 1 << 17;
    pub const MIG_STATE: u32 = 1 << 18;
    pub const DEST_QPN: u32 = 1 << 20;
    pub const RATE_LIMIT: u32 = 1 << 25;
    /// What the older command knows.
    pub const LEGACY: u32 = (1 << 21) - 1;
}

/// Required and optional attributes of a move, if there is that move.
pub fn attributes(kind: Kind, from: State, to: State) -> Option<(u32, u32)> {
    use State::*;
    use attr::*;
    if kind == Kind::Dci {
        return initiator_attributes(from, to);
    }
    let datagram = kind == Kind::Ud;
    let connected = matches!(kind, Kind::Rc | Kind::Uc | Kind::XrcSend | Kind::XrcReceive | Kind::Dct);
    // both sides answer and are answered
    let responder = matches!(kind, Kind::Rc | Kind::XrcReceive);
    let requester = matches!(kind, Kind::Rc | Kind::XrcSend);
    let when = |yes: bool, mask: u32| if yes { mask } else { 0 };
    let entry = when(datagram, PKEY | PORT | QKEY)
        | when(connected, PKEY | PORT | ACCESS)
        | when(kind == Kind::RawPacket, PORT);
    Some(match (from, to) {
        (_, Reset) | (_, Err) => (0, 0),
        (Reset, Init) => (entry, 0),
        (Init, Init) => (0, entry),
        (Init, Rtr) => (
            when(connected, AV | MTU | DEST_QPN | RQ_PSN) | when(responder, MAX_DEST_RD_ATOMIC | MIN_RNR),
            when(datagram, PKEY | QKEY) | when(connected, ALT_PATH | ACCESS | PKEY),
        ),
        (Rtr, Rts) => (
            when(kind != Kind::RawPacket, SQ_PSN)
                | when(requester, TIMEOUT | RETRY | RNR_RETRY | MAX_RD_ATOMIC)
                | when(kind == Kind::XrcReceive, TIMEOUT),
            CUR_STATE
                | when(datagram, QKEY)
                | when(connected, ACCESS | ALT_PATH | MIG_STATE)
                | when(responder, MIN_RNR)
                | when(kind == Kind::RawPacket, RATE_LIMIT),
        ),
        (Rts, Rts) => (
            0,
            CUR_STATE
                | when(datagram, QKEY)
                | when(connected, ACCESS | ALT_PATH | MIG_STATE)
                | when(responder, MIN_RNR)
                | when(kind == Kind::RawPacket, RATE_LIMIT),
        ),
        (Rts, Sqd) => (0, EN_SQD_NOTIFY),
        (Sqd, Rts) | (Sqe, Rts) => (
            0,
            CUR_STATE
                | when(datagram, QKEY)
                | when(connected, ACCESS | ALT_PATH | MIG_STATE)
                | when(responder, MIN_RNR),
        ),
        _ => return None,
    })
}

/// The same for DC initiators, whose rules are the driver's own.
fn initiator_attributes(from: State, to: State) -> Option<(u32, u32)> {
    use State::*;
    use attr::*;
    Some(match (from, to) {
        (_, Reset) => (0, 0),
        (Reset, Err) => return None,
        (_, Err) => (0, 0),
        (Reset, Init) => (PKEY | PORT, 0),
        (Init, Init) => (0, PKEY | PORT),
        (Init, Rtr) => (MTU, PKEY | AV),
        (Rtr, Rts) => (TIMEOUT | RETRY | RNR_RETRY | MAX_RD_ATOMIC | SQ_PSN, MIN_RNR),
        (Rts, Rts) => (0, MIN_RNR),
        _ => return None,
    })
}

/// Whether a modification with those attributes is one.
pub fn is_ok(kind: Kind, from: State, to: State, mask: u32) -> bool {
    match attributes(kind, from, to) {
        Some((required, optional)) => {
            mask & required == required && mask & !(required | optional | attr::STATE) == 0
        }
        None => false,
    }
}

/// The device's opcode for a move.
pub fn opcode(from: State, to: State) -> Option<u16> {
    use State::*;
    Some(match (from, to) {
        (_, Reset) => 0x50a,
        (_, Err) => 0x507,
        (Reset, Init) => 0x502,
        (Init, Init) => 0x50e,
        (Init, Rtr) => 0x503,
        (Rtr, Rts) => 0x504,
        (Rts, Rts) => 0x505,
        (Sqe, Rts) => 0x506,
        _ => return None,
    })
}

/// Optional parameters that a command of that opcode takes, as the device numbers them.
pub fn optional_parameters(kind: Kind, opcode: u16) -> u32 {
    const ALT: u32 = 1;
    const RRE: u32 = 1 << 1;
    const RAE: u32 = 1 << 2;
    const RWE: u32 = 1 << 3;
    const PKEY: u32 = 1 << 4;
    const QKEY: u32 = 1 << 5;
    const RNR: u32 = 1 << 6;
    const PM: u32 = 1 << 10;
    const PORT: u32 = 1 << 16;
    let all = RRE | RAE | RWE;
    let (rights, rnr) = match kind {
        Kind::Uc => (RWE, 0),
        Kind::Ud => (0, 0),
        _ => (all, RNR),
    };
    match (kind, opcode) {
        (Kind::Ud, 0x50e) => PKEY | QKEY | PORT,
        (Kind::Ud, 0x503) => PKEY | QKEY,
        (Kind::Ud, 0x504..=0x506) => QKEY,
        (_, 0x50e) => rights | PKEY | PORT,
        (_, 0x503) => ALT | rights | PKEY,
        (_, 0x504 | 0x505) => ALT | rights | PM | rnr,
        (_, 0x506) => rights | rnr,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_needs_its_attributes() {
        use attr::*;
        let init = PKEY | PORT | ACCESS;
        assert!(is_ok(Kind::Rc, State::Reset, State::Init, STATE | init));
        assert!(!is_ok(Kind::Rc, State::Reset, State::Init, STATE | init & !PORT));
        assert!(!is_ok(Kind::Rc, State::Reset, State::Init, STATE | init | QKEY));
        assert!(is_ok(Kind::Ud, State::Reset, State::Init, STATE | PKEY | PORT | QKEY));
        assert!(!is_ok(Kind::Rc, State::Reset, State::Rtr, STATE));
        assert!(is_ok(Kind::Rc, State::Rts, State::Reset, STATE));
        assert!(is_ok(Kind::Uc, State::Init, State::Rtr, STATE | AV | MTU | DEST_QPN | RQ_PSN));
        assert!(!is_ok(Kind::Rc, State::Init, State::Rtr, STATE | AV | MTU | DEST_QPN | RQ_PSN));
        assert_eq!(opcode(State::Rts, State::Sqd), None);
    }
}
