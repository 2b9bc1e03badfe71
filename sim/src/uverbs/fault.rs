//! Fault injection: which calls and which device commands fail, and how.

use super::spec;
use nix::errno::Errno;
use std::fmt;

/// Which of the calls that match a rule fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Every,
    Nth(u64),
    From(u64),
}

/// What a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Every call that reaches the emulated kernel.
    Any,
    /// Calls of that name: `OBJECT.METHOD`, `WRITE.COMMAND`, `OPEN`, `MMAP`.
    Call(String),
    /// Device commands of that opcode.
    Command(u16),
}

/// How it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With that errno, before anything happens.
    Errno(Errno),
    /// The device answers with that status and syndrome.
    Status(u8, u32),
}

/// One rule.
#[derive(Clone, Debug)]
struct Rule {
    what: What,
    which: Which,
    outcome: Outcome,
    seen: u64,
}

/// A rule that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
pub struct BadRule(String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All rules of a run.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
}

impl Faults {
    /// Add a rule: `WHAT[#N]=OUTCOME`.
    pub fn add(&mut self, text: &str) -> Result<(), BadRule> {
        self.rules.push(parse(text)?);
        Ok(())
    }

    /// Drop all rules.
    pub fn clear(&mut self) {
        self.rules.clear();
    }

    /// Whether there is any rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a rule can make the library fall back to write(2).
    pub fn provokes_write(&self) -> bool {
        let falls_back = [Outcome::Errno(Errno::ENOTTY), Outcome::Errno(Errno::EPROTONOSUPPORT)];
        self.rules.iter().any(|r| falls_back.contains(&r.outcome))
    }

    /// Count a call that reaches the emulated kernel; the errno it is to fail with.
    pub fn any(&mut self) -> Option<Errno> {
        self.hit(|w| *w == What::Any).and_then(errno)
    }

    /// Count a call by name; the errno it is to fail with.
    pub fn call(&mut self, name: &str) -> Option<Errno> {
        self.hit(|w| matches!(w, What::Call(n) if n == name)).and_then(errno)
    }

    /// Count a device command; how it is to fail.
    pub fn command(&mut self, opcode: u16) -> Option<Outcome> {
        self.hit(|w| *w == What::Command(opcode))
    }

    // every matching rule counts the call; the first that is due decides
    fn hit(&mut self, matches: impl Fn(&What) -> bool) -> Option<Outcome> {
        let mut outcome = None;
        for rule in self.rules.iter_mut().filter(|r| matches(&r.what)) {
            rule.seen += 1;
            let due = match rule.which {
                Which::Every => true,
                Which::Nth(n) => rule.seen == n,
                Which::From(n) => rule.seen >= n,
            };
            if due && outcome.is_none() {
                outcome = Some(rule.outcome);
            }
        }
        outcome
    }
}

fn errno(outcome: Outcome) -> Option<Errno> {
    match outcome {
        Outcome::Errno(e) => Some(e),
        Outcome::Status(..) => None,
    }
}

fn bad<T>(text: String) -> Result<T, BadRule> {
    Err(BadRule(text))
}

fn parse(text: &str) -> Result<Rule, BadRule> {
    let Some((left, right)) = text.split_once('=') else {
        return bad(format!(
            "fault '{text}': no '='; write WHAT[#N]=OUTCOME, for example QP.CREATE#2=ENOMEM"
        ));
    };
    let (name, which) = match left.split_once('#') {
        Some((name, n)) => (name, parse_which(text, n)?),
        None => (left, Which::Nth(1)),
    };
    let what = parse_what(text, name)?;
    let outcome = parse_outcome(text, right, matches!(what, What::Command(_)))?;
    Ok(Rule { what, which, outcome, seen: 0 })
}

fn parse_which(text: &str, n: &str) -> Result<Which, BadRule> {
    if n == "*" {
        return Ok(Which::Every);
    }
    let (digits, from) = match n.strip_suffix('+') {
        Some(d) => (d, true),
        None => (n, false),
    };
    match digits.parse::<u64>() {
        Ok(n) if n > 0 && from => Ok(Which::From(n)),
        Ok(n) if n > 0 => Ok(Which::Nth(n)),
        _ => bad(format!(
            "fault '{text}': '#{n}' is none of #N (the N-th, from 1), #N+ (from the N-th on), #* (every)"
        )),
    }
}

fn parse_what(text: &str, name: &str) -> Result<What, BadRule> {
    if name == "ANY" {
        return Ok(What::Any);
    }
    if let Some(opcode) = name.strip_prefix("CMD.") {
        return match parse_number(opcode) {
            Some(n) if n <= 0xffff => Ok(What::Command(n as u16)),
            _ => bad(format!("fault '{text}': '{opcode}' is not a command opcode (0 to 0xffff)")),
        };
    }
    let known = match name.strip_prefix("WRITE.") {
        Some(command) => spec::write_command_by_name(command).is_some(),
        None => matches!(name, "OPEN" | "MMAP") || spec::method_by_name(name).is_some(),
    };
    if known {
        return Ok(What::Call(name.to_string()));
    }
    let near = nearest(name);
    bad(format!(
        "fault '{text}': no call is named '{name}'; {}calls are OBJECT.METHOD, WRITE.COMMAND, OPEN, MMAP, ANY, or CMD.opcode",
        near.map(|n| format!("did you mean '{n}'? ")).unwrap_or_default()
    ))
}

fn parse_outcome(text: &str, right: &str, command: bool) -> Result<Outcome, BadRule> {
    if let Some(e) = errno_by_name(right) {
        return Ok(Outcome::Errno(e));
    }
    if !command {
        return match parse_number(right) {
            Some(n) if (1..=133).contains(&n) => Ok(Outcome::Errno(Errno::from_raw(n as i32))),
            _ => bad(format!("fault '{text}': '{right}' is not an errno; write its name (ENOMEM) or number")),
        };
    }
    let (status, syndrome) = right.split_once('/').unwrap_or((right, "0"));
    match (parse_number(status), parse_number(syndrome)) {
        (Some(s @ 1..=0xff), Some(y @ 0..=0xffff_ffff)) => Ok(Outcome::Status(s as u8, y as u32)),
        _ => bad(format!(
            "fault '{text}': '{right}' is neither an errno nor STATUS[/SYNDROME] with a status of 1 to 0xff"
        )),
    }
}

fn parse_number(s: &str) -> Option<u64> {
    match s.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => s.parse().ok(),
    }
}

/// The errno of that name.
pub fn errno_by_name(name: &str) -> Option<Errno> {
    if name == "ENOTSUP" {
        return Some(Errno::EOPNOTSUPP);
    }
    (1..=133).map(Errno::from_raw).find(|e| *e != Errno::UnknownErrno && errno_name(*e) == name)
}

/// The errno's name, as in `errno.h`.
pub fn errno_name(errno: Errno) -> String {
    format!("{errno:?}")
}

fn nearest(name: &str) -> Option<String> {
    spec::names().map(|n| (distance(name, &n), n)).filter(|(d, _)| *d <= 3).min().map(|(_, n)| n)
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut last = i;
        let mut left = i + 1;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let best = (last + usize::from(x != *y)).min(left + 1).min(*cell + 1);
            last = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Faults {
        let mut f = Faults::default();
        f.add(text).expect(text);
        f
    }

    fn refused(text: &str) -> String {
        Faults::default().add(text).expect_err(text).to_string()
    }

    #[test]
    fn the_nth_call_of_a_method_fails() {
        let mut f = one("QP.CREATE#2=ENOMEM");
        assert_eq!(f.call("QP.CREATE"), None);
        assert_eq!(f.call("QP.DESTROY"), None);
        assert_eq!(f.call("QP.CREATE"), Some(Errno::ENOMEM));
        assert_eq!(f.call("QP.CREATE"), None);
        let mut f = one("WRITE.REG_MR#2+=EFAULT");
        assert_eq!(
            [f.call("WRITE.REG_MR"), f.call("WRITE.REG_MR"), f.call("WRITE.REG_MR")],
            [None, Some(Errno::EFAULT), Some(Errno::EFAULT)]
        );
        assert_eq!(one("MMAP#*=EAGAIN").call("MMAP"), Some(Errno::EAGAIN));
    }

    #[test]
    fn rules_of_one_name_all_count() {
        let mut f = one("ANY#1=EIO");
        f.add("ANY#2=EPERM").expect("rule");
        assert_eq!([f.any(), f.any(), f.any()], [Some(Errno::EIO), Some(Errno::EPERM), None]);
    }

    #[test]
    fn commands_fail_by_status_or_errno() {
        assert_eq!(one("CMD.0x400=3/0x1234").command(0x400), Some(Outcome::Status(3, 0x1234)));
        assert_eq!(one("CMD.0xa00=ETIMEDOUT").command(0xa00), Some(Outcome::Errno(Errno::ETIMEDOUT)));
        assert_eq!(one("CMD.256=8").command(0x100), Some(Outcome::Status(8, 0)));
    }

    #[test]
    fn bad_rules_say_what_is_wrong() {
        assert!(refused("QP.CREATE").contains("no '='"));
        assert!(refused("QP.CREAT=ENOMEM").contains("did you mean 'QP.CREATE'?"));
        assert!(refused("QP.CREATE=ENOMEN").contains("'ENOMEN' is not an errno"));
        assert!(refused("QP.CREATE#0=EIO").contains("'#0'"));
        assert!(refused("CMD.0x10000=3").contains("opcode"));
        assert!(refused("CMD.0x400=0").contains("STATUS"));
        assert!(refused("QP.CREATE=3/4").contains("not an errno"));
    }

    #[test]
    fn errnos_have_their_names() {
        assert_eq!(errno_by_name("EREMOTEIO"), Some(Errno::EREMOTEIO));
        assert_eq!(errno_by_name("ENOTSUP"), Some(Errno::EOPNOTSUPP));
        assert_eq!(errno_name(Errno::EOPNOTSUPP), "EOPNOTSUPP");
        assert_eq!(errno_name(Errno::EAGAIN), "EAGAIN");
    }
}
