//! The files a client sees that are ours.

use std::path::{Path, PathBuf};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Not ours.
    Other,
    /// The node of a device.
    Device(usize),
    /// The control channel.
    Control,
    /// A file of the tree.
    Tree(PathBuf),
}

const PREFIXES: [&str; 4] =
    ["/sys/class/infiniband_verbs", "/sys/class/infiniband", "/sys/devices/pci0000:80", "/dev/infiniband"];

/// Where an absolute path leads, with `devices` devices and their files below `tree`.
pub fn resolve(path: &str, devices: usize, tree: &Path) -> Target {
    let inside =
        |prefix: &str| path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if !PREFIXES.iter().any(|p| inside(p).is_some()) {
        return Target::Other;
    }
    if let Some(number) = path.strip_prefix("/dev/infiniband/uverbs").and_then(|n| n.parse::<usize>().ok())
        && number < devices
    {
        return Target::Device(number);
    }
    if path == "/dev/infiniband/mlx5_sim_ctl" {
        return Target::Control;
    }
    Target::Tree(tree.join(path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_components_are_ours() {
        let tree = Path::new("/t");
        assert_eq!(resolve("/dev/infiniband/uverbs1", 2, tree), Target::Device(1));
        assert_eq!(
            resolve("/dev/infiniband/uverbs2", 2, tree),
            Target::Tree("/t/dev/infiniband/uverbs2".into())
        );
        assert_eq!(resolve("/dev/infiniband/mlx5_sim_ctl", 1, tree), Target::Control);
        assert_eq!(
            resolve("/sys/class/infiniband_verbs/", 1, tree),
            Target::Tree("/t/sys/class/infiniband_verbs/".into())
        );
        assert_eq!(resolve("/sys/class/infiniband_mad", 1, tree), Target::Other);
        assert_eq!(resolve("/dev/infinibandx", 1, tree), Target::Other);
    }
}
