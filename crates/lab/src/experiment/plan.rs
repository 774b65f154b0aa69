//! Time, disk and variants of a run, known before it begins.

use super::peers::Peers;
use super::read::Experiment;
use super::record::{Device, Server};
use super::spec::{Product, Scale, Variant};
use super::trial;
use std::collections::{BTreeMap, BTreeSet};

/// The scale, the rounds and the variants that somebody asks for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Name of the scale.
    pub scale: String,
    /// Number of rounds, without the warm-up.
    pub repeat: u32,
    /// Names of the variants; all where there are none.
    pub only: Vec<String>,
}

/// A wish that can be carried out on a server.
#[derive(Clone)]
pub struct Needs<'a> {
    /// Sizes of the scale.
    pub scale: &'a Scale,
    /// Values of the scale.
    pub values: BTreeMap<String, String>,
    /// The variants that are run, in order.
    pub variants: Vec<&'a Variant>,
    /// The others, with the reason.
    pub left_out: Vec<(&'a Variant, String)>,
    /// Products that do the work as well.
    pub products: BTreeSet<Product>,
    /// Disk that is taken at a time, MB.
    pub disk_mb: u64,
    /// All rounds, in s.
    pub seconds: f64,
}

/// Why a variant is left out that --only has not named.
pub const NOT_ASKED_FOR: &str = "not asked for";
/// Durable writes a second that are supposed where the device cannot be asked.
const SUPPOSED_WRITES: f64 = 1_000.0;

impl<'a> Needs<'a> {
    /// Needs of an experiment on a server; an error is a word that the experiment does not have.
    pub fn of(
        experiment: &'a Experiment,
        wish: &Wish,
        server: &Server,
        device: Option<&Device>,
        peers: &Peers,
    ) -> Result<Needs<'a>, String> {
        let spec = &experiment.spec;
        let name = &experiment.files.name;
        let scale = spec.scale.get(&wish.scale).ok_or_else(|| {
            let there: Vec<&str> = spec.scale.keys().map(String::as_str).collect();
            format!("{name} has no scale '{}'; it has: {}", wish.scale, there.join(", "))
        })?;
        for only in &wish.only {
            if !spec.variant.iter().any(|v| v.name.get_ref() == only) {
                let there: Vec<&str> =
                    spec.variant.iter().map(|v| v.name.get_ref().as_str()).collect();
                return Err(format!(
                    "{name} has no variant '{only}'; it has: {}",
                    there.join(", ")
                ));
            }
        }
        let (mut variants, mut left_out) = (Vec::new(), Vec::new());
        for variant in &spec.variant {
            let wanted = wish.only.is_empty() || wish.only.contains(variant.name.get_ref());
            // Nobody misses a product of which nobody has spoken.
            if variant.peer.is_some() && peers.are_none() && wish.only.is_empty() {
                continue;
            }
            let lacks = variant.peer.and_then(|product| peers.lacks(product));
            match lacks.or_else(|| trial::lacks(variant, server)) {
                _ if !wanted => left_out.push((variant, NOT_ASKED_FOR.to_owned())),
                Some(why) => left_out.push((variant, why)),
                None => variants.push(variant),
            }
        }
        if !variants.iter().any(|v: &&Variant| v.peer.is_none()) {
            return Err(format!("{name}: no variant is left to run on the server"));
        }
        let products: BTreeSet<Product> = variants.iter().filter_map(|v| v.peer).collect();
        let all = spec.variant.iter().filter(|v| v.peer.is_none()).count();
        let share = variants.len() as f64 / all as f64;
        let writes = device.map_or(SUPPOSED_WRITES, |d| d.writes_per_s);
        // Work on two processors; a machine with one takes longer.
        let round = (scale.seconds + scale.durable_writes / writes.max(1.0)) * share;
        Ok(Needs {
            scale,
            values: scale.values.iter().map(|(k, v)| (k.clone(), v.to_string())).collect(),
            variants,
            left_out,
            // Data and log of the last trial of each product stay beside the server's.
            disk_mb: scale.disk_mb * (1 + products.len() as u64) + Peers::disk_mb(&products),
            products,
            seconds: round * f64::from(wish.repeat) + 2.0,
        })
    }
}

impl Needs<'_> {
    /// Leaves variants out, by their names, with the reasons.
    pub fn without(mut self, refused: &BTreeMap<String, String>) -> Self {
        for (at, why) in refused {
            let gone = self.variants.extract_if(.., |v| v.name.get_ref() == at);
            self.left_out.extend(gone.map(|v| (v, why.clone())));
        }
        self
    }
}

/// A time as people say it.
pub fn time_in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(1.0)),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A size as people say it.
pub fn size_in_words(mb: u64) -> String {
    match mb {
        mb if mb < 2_000 => format!("{mb} MB"),
        mb => format!("{:.1} GB", mb as f64 / 1024.0),
    }
}
