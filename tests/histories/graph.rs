//! Which transaction must come before which, and whether that goes round in a circle.

use std::collections::{HashMap, VecDeque};

/// Why one transaction comes before another; the number is the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It wrote the version before the other's.
    Ww(u32),
    /// The other read what it wrote.
    Wr(u32),
    /// It read the version that the other replaced.
    Rw(u32),
    /// It was acknowledged before the other began.
    After,
}

/// Transactions are nodes; so are moments of time, which have higher numbers.
#[derive(Default)]
pub struct Graph {
    out: Vec<Vec<(u32, Why)>>,
}

impl Graph {
    pub fn new(nodes: usize) -> Graph {
        Graph { out: vec![Vec::new(); nodes] }
    }

    pub fn edge(&mut self, from: u32, to: u32, why: Why) {
        let out = &mut self.out[from as usize];
        if from != to && !out.contains(&(to, why)) {
            out.push((to, why));
        }
    }

    /// A further node.
    pub fn node(&mut self) -> u32 {
        self.out.push(Vec::new());
        self.out.len() as u32 - 1
    }

    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, Why)> {
        self.out
            .iter()
            .enumerate()
            .flat_map(|(from, out)| out.iter().map(move |(to, why)| (from as u32, *to, *why)))
    }

    /// One chain of moments instead of an edge between each transaction and all that began after its end: `(node, began, ended)`.
    pub fn real_time(&mut self, spans: &[(u32, u64, u64)]) {
        let mut ends: Vec<(u64, u32)> = spans.iter().map(|s| (s.2, s.0)).collect();
        ends.sort_unstable();
        let moments: Vec<u32> = ends.iter().map(|_| self.node()).collect();
        for ((_, node), moment) in ends.iter().zip(&moments) {
            self.edge(*node, *moment, Why::After);
        }
        for pair in moments.windows(2) {
            self.edge(pair[0], pair[1], Why::After);
        }
        for (node, began, _) in spans {
            let before = ends.partition_point(|(ended, _)| ended < began);
            if before > 0 {
                self.edge(moments[before - 1], *node, Why::After);
            }
        }
    }

    /// Sets of nodes each of which leads to all others of its set, over edges that are taken; those of one node are left out.
    /// (Tarjan's, without recursion.)
    pub fn circles(&self, taken: impl Fn(Why) -> bool) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let n = self.out.len();
        let (mut index, mut low) = (vec![NEW; n], vec![0_u32; n]);
        let (mut on_stack, mut stack) = (vec![false; n], Vec::new());
        let (mut next, mut found) = (0, Vec::new());
        for root in 0..n {
            if index[root] != NEW {
                continue;
            }
            let mut open = vec![(root, 0_usize)];
            while let Some((v, at)) = open.last_mut() {
                let v = *v;
                if *at == 0 {
                    (index[v], low[v]) = (next, next);
                    next += 1;
                    on_stack[v] = true;
                    stack.push(v as u32);
                }
                match self.out[v].get(*at) {
                    Some((w, why)) => {
                        *at += 1;
                        let w = *w as usize;
                        if taken(*why) && index[w] == NEW {
                            open.push((w, 0));
                        } else if taken(*why) && on_stack[w] {
                            low[v] = low[v].min(index[w]);
                        }
                    }
                    None => {
                        open.pop();
                        if let Some((parent, _)) = open.last() {
                            low[*parent] = low[*parent].min(low[v]);
                        }
                        if low[v] == index[v] {
                            let from = stack.iter().rposition(|w| *w == v as u32).expect("pushed");
                            let circle = stack.split_off(from);
                            circle.iter().for_each(|w| on_stack[*w as usize] = false);
                            if circle.len() > 1 {
                                found.push(circle);
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The shortest way from one node to another over edges that are taken.
    pub fn way(
        &self,
        from: u32,
        to: u32,
        taken: impl Fn(Why) -> bool,
    ) -> Option<Vec<(u32, Why, u32)>> {
        let mut reached: HashMap<u32, (u32, Why)> = HashMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(v) = open.pop_front() {
            for (w, why) in self.out[v as usize].iter().filter(|(_, why)| taken(*why)) {
                if *w == to {
                    let mut way = vec![(v, *why, *w)];
                    let mut at = v;
                    while at != from {
                        let (before, why) = reached[&at];
                        way.push((before, why, at));
                        at = before;
                    }
                    way.reverse();
                    return Some(way);
                }
                if *w != from && !reached.contains_key(w) {
                    reached.insert(*w, (v, *why));
                    open.push_back(*w);
                }
            }
        }
        None
    }

    /// The shortest circle through one of these nodes, which are one of [`Graph::circles`].
    pub fn shortest(
        &self,
        circle: &[u32],
        taken: impl Fn(Why) -> bool + Copy,
    ) -> Vec<(u32, Why, u32)> {
        let ways = circle.iter().take(300).filter_map(|v| self.way(*v, *v, taken));
        ways.min_by_key(Vec::len).expect("a circle")
    }
}

#[test]
fn a_circle_is_found_and_a_chain_is_none() {
    let mut graph = Graph::new(6);
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)] {
        graph.edge(from, to, Why::Ww(1));
    }
    graph.edge(4, 3, Why::Rw(2));
    let mut circles = graph.circles(|_| true);
    circles.iter_mut().for_each(|c| c.sort_unstable());
    circles.sort();
    assert_eq!(circles, [vec![0, 1, 2], vec![3, 4]]);
    assert_eq!(graph.circles(|why| matches!(why, Why::Ww(_))).len(), 1);
    assert_eq!(graph.shortest(&[0, 1, 2], |_| true).len(), 3);
    let mut chain = Graph::new(3);
    chain.edge(0, 1, Why::Wr(1));
    // 1 ended before 2 began, and 2 before 0 began: 0 can read nothing that leads to 1 …
    chain.real_time(&[(0, 30, 40), (1, 1, 10), (2, 11, 20)]);
    // … so that its edge to 1 closes a circle over the moments.
    assert_eq!(chain.circles(|_| true).len(), 1);
    assert!(Graph::new(3).circles(|_| true).is_empty());
}
