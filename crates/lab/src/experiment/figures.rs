//! The figures and channels that an experiment may name: a closed list, each with its unit.

/// A figure of a measure: how it is called, what a reader sees, its unit, and its decimals in tables.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// In `experiment.toml` and JSON.
    pub name: &'static str,
    /// Name in tables and claims.
    pub label: &'static str,
    /// Its unit; empty for a number.
    pub unit: &'static str,
}

const fn figure(name: &'static str, label: &'static str, unit: &'static str) -> Figure {
    Figure { name, label, unit }
}

/// All figures that the lab takes by itself.
pub const FIGURES: &[Figure] = &[
    figure("seconds", "duration", "s"),
    figure("log_flushes", "log flushes", ""),
    figure("log_flushes_per_s", "Log Flushes/sec", "/s"),
    figure("log_flush_wait_ms", "Log Flush Wait Time", "ms"),
    figure("log_writes", "log writes", ""),
    figure("log_mb", "log written", "MB"),
    figure("log_kb_per_write", "log, a write", "KB"),
    figure("log_mb_per_s", "log, throughput", "MB/s"),
    figure("log_write_ms", "writing the log", "ms"),
    figure("data_writes", "data writes", ""),
    figure("data_mb", "data written", "MB"),
    figure("data_kb_per_write", "data, a write", "KB"),
    figure("data_mb_per_s", "data, throughput", "MB/s"),
    figure("writelog_waits", "WRITELOG waits", ""),
    figure("writelog_ms", "WRITELOG", "ms"),
    figure("gather_ms", "PREEMPTIVE_OS_WRITEFILEGATHER", "ms"),
    figure("growths", "log growths", ""),
    figure("checkpoint_pages", "checkpoint pages", ""),
    figure("vlfs", "VLFs", ""),
    figure("vlf_mb", "average VLF", "MB"),
    figure("log_size_mb", "log file", "MB"),
    figure("vlfs_crossed", "VLFs crossed", ""),
    figure("commits", "commits", ""),
    figure("commits_per_s", "commits", "/s"),
    figure("p50_ms", "commit, median", "ms"),
    figure("p99_ms", "commit, 99 %", "ms"),
    figure("max_ms", "commit, longest", "ms"),
    figure("acknowledged", "acknowledged commits", ""),
    figure("found", "found after the kill", ""),
    figure("lost", "acknowledged and lost", ""),
    figure("lost_ms", "loss window", "ms"),
    figure("torn", "pages torn", ""),
    figure("right", "rows that are right", ""),
    figure("refused", "rows refused", ""),
    figure("wrong", "rows shown and wrong", ""),
];

/// The figure of a name.
pub fn by_name(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|f| f.name == name)
}

/// A channel of the samples.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// In `experiment.toml` and JSON.
    pub name: &'static str,
    /// Name on charts and panels.
    pub label: &'static str,
    /// Its unit, where it is drawn.
    pub unit: &'static str,
    /// How the number that a view shows becomes the one that is drawn.
    pub drawn: Drawn,
}

/// How a channel is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// The view counts from the server's start: its growth a second.
    Rate,
    /// The view shows what is now.
    AsItIs,
    /// The growth of one channel in that of another, by their places in [`CHANNELS`].
    Share(usize, usize),
}

const fn channel(
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    drawn: Drawn,
) -> Channel {
    Channel { name, label, unit, drawn }
}

/// Bytes of a channel that counts them become KB, MB where they are drawn.
pub const KB: f64 = 1024.0;
/// Bytes of a megabyte.
pub const MB: f64 = 1_048_576.0;

/// All channels; samples have those that the server shows, in this order.
pub const CHANNELS: &[Channel] = &[
    channel("log_flushes", "Log Flushes/sec", "/s", Drawn::Rate),
    channel("log_flush_wait_ms", "Log Flush Wait Time", "ms/s", Drawn::Rate),
    channel("log_flush_write_ms", "Log Flush Write Time", "ms", Drawn::AsItIs),
    channel("log_growths", "log growths", "/s", Drawn::Rate),
    channel("checkpoint_pages", "Checkpoint pages/sec", "/s", Drawn::Rate),
    channel("writelog_waits", "WRITELOG waits", "/s", Drawn::Rate),
    channel("writelog_ms", "WRITELOG", "ms/s", Drawn::Rate),
    channel("gather_ms", "PREEMPTIVE_OS_WRITEFILEGATHER", "ms/s", Drawn::Rate),
    channel("data_writes", "data writes", "/s", Drawn::Rate),
    channel("data_bytes", "data", "B/s", Drawn::Rate),
    channel("data_write_ms", "writing data", "ms/s", Drawn::Rate),
    channel("log_writes", "log writes", "/s", Drawn::Rate),
    channel("log_bytes", "log", "B/s", Drawn::Rate),
    channel("log_write_ms", "writing the log", "ms/s", Drawn::Rate),
    channel("vlfs", "VLFs", "", Drawn::AsItIs),
    channel("log_size_bytes", "log file", "B", Drawn::AsItIs),
    channel("newest_vlf", "VLF sequence number", "", Drawn::AsItIs),
];

/// Channels that are made of others where they are drawn.
pub const MADE: &[Channel] = &[
    channel("data_mb_per_s", "data", "MB/s", Drawn::Rate),
    channel("log_mb_per_s", "log", "MB/s", Drawn::Rate),
    channel("data_kb_per_write", "data, a write", "KB", Drawn::Share(9, 8)),
    channel("log_kb_per_write", "log, a write", "KB", Drawn::Share(12, 11)),
    channel("latency", "longest commit", "ms", Drawn::AsItIs),
];

/// The place of a channel in [`CHANNELS`].
pub fn place(name: &str) -> Option<usize> {
    CHANNELS.iter().position(|c| c.name == name)
}

/// A channel that can be drawn.
pub fn drawable(name: &str) -> Option<&'static Channel> {
    MADE.iter().chain(CHANNELS).find(|c| c.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_channels_that_they_name() {
        for (name, over, under) in [
            ("data_kb_per_write", "data_bytes", "data_writes"),
            ("log_kb_per_write", "log_bytes", "log_writes"),
        ] {
            let share = drawable(name).map(|c| c.drawn);
            let places = place(over).zip(place(under)).map(|(a, b)| Drawn::Share(a, b));
            assert_eq!(share, places, "{name}");
        }
    }
}
