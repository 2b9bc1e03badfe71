//! `symbols.txt`: the exported names, by version node.

/// A version node of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// `MLX5_…`.
    pub name: String,
    /// The node it continues; none for the first.
    pub parent: Option<String>,
    /// The names it exports, in the order of the file.
    pub symbols: Vec<String>,
}

/// Reads `symbols.txt`.
pub fn nodes() -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for line in crate::read("symbols.txt").lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            Some(head) => {
                let (name, parent) = match head.split_once(" < ") {
                    Some((name, parent)) => (name, Some(parent.to_owned())),
                    None => (head, None),
                };
                nodes.push(Node { name: name.to_owned(), parent, symbols: Vec::new() });
            }
            None => nodes.last_mut().expect("symbols.txt starts with a node").symbols.push(line.to_owned()),
        }
    }
    nodes
}
