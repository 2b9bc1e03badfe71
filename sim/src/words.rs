//! The words that both faces' control channels understand.

use crate::uverbs::events::kinds::*;

/// A number, decimal or 0x-hexadecimal.
pub fn number(s: &str) -> Result<u64, String> {
    match s.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => s.parse().ok(),
    }
    .ok_or_else(|| format!("'{s}' is not a number"))
}

/// Bytes, as pairs of hexadecimal digits.
pub fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("'{hex}' is not a string of hexadecimal bytes");
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return Err(wrong());
    }
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).map_err(|_| wrong())).collect()
}

/// Data of an event of type `kind` that names object `n`: the number goes where events of that
/// type have it, what is around it comes from `extra`.
pub fn object_data(kind: u64, n: u64, extra: &[u8]) -> [u8; 28] {
    let mut data = [0u8; 28];
    for (to, from) in data.iter_mut().zip(extra) {
        *to = *from;
    }
    let place = match u8::try_from(kind) {
        Ok(CQ_ERROR) => 0,
        Ok(
            PATH_MIGRATED
            | COMM_ESTABLISHED
            | SQ_DRAINED
            | WQ_CATASTROPHIC
            | PATH_MIGRATION_FAILED
            | WQ_INVALID_REQUEST
            | WQ_ACCESS_ERROR
            | SRQ_CATASTROPHIC
            | SRQ_LAST_WQE
            | SRQ_LIMIT
            | DCT_DRAINED
            | DCT_KEY_VIOLATION,
        ) => 24,
        Ok(XRQ_ERROR) => 20,
        _ => 4,
    };
    prm::bits::set(&mut data, place * 8, 32, n);
    data
}

/// Subtype and data of the event that a port goes up or down.
pub fn port_data(port: &str, state: &str) -> Result<(u8, [u8; 28]), String> {
    let sub = match state {
        "up" => 4,
        "down" => 1,
        other => return Err(format!("a port goes up or down, not '{other}'")),
    };
    let mut data = [0u8; 28];
    prm::bits::set(&mut data, 64, 4, number(port)?);
    Ok((sub, data))
}
