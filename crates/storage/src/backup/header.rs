//! The header of a backup set as bytes: in the set's first chunk as far as it is known then, in its last one whole.

use std::path::PathBuf;

use taffrail_base::{FileId, Lsn};
use taffrail_io::UtcTime;

use super::spec::{BackupFile, BackupKind, Labels, SetHeader};
use crate::codec::{Put, Take, put_growth, take_growth, take_max_size};
use crate::database::{FileKind, RecoveryModel};

/// Feature bits of a set that a reader must know.
const FEATURES: u64 = 0;

const COMPRESSED: u16 = 1;
const CHECKSUMS: u16 = 2;
const DAMAGED: u16 = 4;
const BEGINS_CHAIN: u16 = 8;
const COPY_ONLY: u16 = 16;
const FORCE_OFFLINE: u16 = 32;
const BULK_LOGGED: u16 = 64;
const COMPLETE: u16 = 128;
const INCOMPLETE_METADATA: u16 = 256;

/// A text that may be missing, cut to so many bytes.
pub(super) fn put_optional(b: &mut Vec<u8>, text: Option<&str>, max: usize) {
    b.u8(u8::from(text.is_some()));
    let text = text.unwrap_or_default();
    let end = (0..=max.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    b.text(&text[..end]);
}

/// The inverse; none: the bytes end.
pub(super) fn take_optional(t: &mut Take<'_>) -> Option<Option<String>> {
    let there = t.u8()? == 1;
    let text = t.text()?;
    Some(there.then_some(text))
}

fn put_lsn(b: &mut Vec<u8>, lsn: Lsn) {
    b.bytes(&lsn.to_bytes());
}

fn take_lsn(t: &mut Take<'_>) -> Option<Lsn> {
    Some(Lsn::from_bytes(t.bytes(10)?.try_into().ok()?))
}

fn take_guid(t: &mut Take<'_>) -> Option<[u8; 16]> {
    t.bytes(16)?.try_into().ok()
}

impl SetHeader {
    /// Appends the header as the media keeps it.
    pub(super) fn encode(&self, b: &mut Vec<u8>) {
        b.u64(FEATURES);
        b.bytes(&self.guid);
        b.u32(self.position);
        b.u8(self.kind as u8);
        let l = &self.labels;
        put_optional(b, l.name.as_deref(), 512);
        put_optional(b, l.description.as_deref(), 1020);
        b.u64(l.expires.map_or(0, |t| t.0));
        for text in [&l.user_name, &l.server_name, &l.machine_name, &l.collation] {
            put_optional(b, Some(text), 512);
        }
        b.u8(l.compatibility_level);
        b.u8(l.software.0);
        b.u8(l.software.1);
        b.u16(l.software.2);
        b.u16(l.time_zone_minutes as u16);
        put_optional(b, Some(&self.database), 512);
        b.bytes(&self.database_guid);
        b.bytes(&self.family_guid);
        b.u64(self.created.0);
        b.u16(self.format_version);
        b.u8(self.recovery_model as u8);
        b.u64(self.engine_flags);
        for lsn in [
            self.first_lsn,
            self.last_lsn,
            self.checkpoint_lsn,
            self.database_backup_lsn,
            self.differential_base_lsn,
            self.fork_point,
        ] {
            put_lsn(b, lsn);
        }
        b.bytes(&self.differential_base_guid);
        b.bytes(&self.first_fork);
        b.bytes(&self.last_fork);
        for n in [self.started.0, self.finished.0, self.size, self.compressed_size] {
            b.u64(n);
        }
        let flags = [
            (self.compressed, COMPRESSED),
            (self.has_checksums, CHECKSUMS),
            (self.is_damaged, DAMAGED),
            (self.begins_log_chain, BEGINS_CHAIN),
            (self.is_copy_only, COPY_ONLY),
            (self.is_force_offline, FORCE_OFFLINE),
            (self.has_bulk_logged_data, BULK_LOGGED),
            (self.complete, COMPLETE),
            (self.has_incomplete_metadata, INCOMPLETE_METADATA),
        ];
        b.u16(flags.iter().filter(|f| f.0).map(|f| f.1).sum());
        b.u16(self.files.len() as u16);
        for f in &self.files {
            b.u16(f.id.0);
            b.u8(u8::from(f.kind == FileKind::Log));
            b.text(&f.name);
            b.text(&f.path.to_string_lossy());
            b.u64(f.size);
            put_growth(b, f.growth, f.max_size);
            b.u64(f.pages);
        }
    }

    /// From the media; none: it makes no sense, or is of a newer version.
    pub(super) fn decode(t: &mut Take<'_>) -> Option<SetHeader> {
        if t.u64()? & !FEATURES != 0 {
            return None;
        }
        let guid = take_guid(t)?;
        let position = t.u32()?;
        let kind = BackupKind::from_u8(t.u8()?)?;
        let labels = Labels {
            name: take_optional(t)?,
            description: take_optional(t)?,
            expires: Some(UtcTime(t.u64()?)).filter(|t| t.0 != 0),
            user_name: take_optional(t)?.unwrap_or_default(),
            server_name: take_optional(t)?.unwrap_or_default(),
            machine_name: take_optional(t)?.unwrap_or_default(),
            collation: take_optional(t)?.unwrap_or_default(),
            compatibility_level: t.u8()?,
            software: (t.u8()?, t.u8()?, t.u16()?),
            time_zone_minutes: t.u16()? as i16,
        };
        let mut h = SetHeader {
            guid,
            position,
            kind,
            labels,
            database: take_optional(t)?.unwrap_or_default(),
            database_guid: take_guid(t)?,
            family_guid: take_guid(t)?,
            created: UtcTime(t.u64()?),
            format_version: t.u16()?,
            recovery_model: RecoveryModel::from_u8(t.u8()?)?,
            engine_flags: t.u64()?,
            first_lsn: take_lsn(t)?,
            last_lsn: take_lsn(t)?,
            checkpoint_lsn: take_lsn(t)?,
            database_backup_lsn: take_lsn(t)?,
            differential_base_lsn: take_lsn(t)?,
            fork_point: take_lsn(t)?,
            differential_base_guid: take_guid(t)?,
            first_fork: take_guid(t)?,
            last_fork: take_guid(t)?,
            started: UtcTime(t.u64()?),
            finished: UtcTime(t.u64()?),
            size: t.u64()?,
            compressed_size: t.u64()?,
            compressed: false,
            has_checksums: false,
            is_damaged: false,
            begins_log_chain: false,
            is_copy_only: false,
            is_force_offline: false,
            has_bulk_logged_data: false,
            has_incomplete_metadata: false,
            complete: false,
            files: Vec::new(),
        };
        let flags = t.u16()?;
        h.compressed = flags & COMPRESSED != 0;
        h.has_checksums = flags & CHECKSUMS != 0;
        h.is_damaged = flags & DAMAGED != 0;
        h.begins_log_chain = flags & BEGINS_CHAIN != 0;
        h.is_copy_only = flags & COPY_ONLY != 0;
        h.is_force_offline = flags & FORCE_OFFLINE != 0;
        h.has_bulk_logged_data = flags & BULK_LOGGED != 0;
        h.complete = flags & COMPLETE != 0;
        h.has_incomplete_metadata = flags & INCOMPLETE_METADATA != 0;
        for _ in 0..t.u16()? {
            h.files.push(BackupFile {
                id: FileId(t.u16()?),
                kind: if t.u8()? == 1 { FileKind::Log } else { FileKind::Rows },
                name: t.text()?,
                path: PathBuf::from(t.text()?),
                size: t.u64()?,
                growth: take_growth(t)?,
                max_size: take_max_size(t)?,
                pages: t.u64()?,
            });
        }
        Some(h)
    }
}

#[cfg(test)]
pub(super) fn sample() -> SetHeader {
    SetHeader {
        guid: [1; 16],
        position: 3,
        kind: BackupKind::Differential,
        labels: Labels {
            name: Some("nightly".into()),
            user_name: "sa".into(),
            server_name: "SRV".into(),
            software: (0, 1, 7),
            time_zone_minutes: -120,
            ..Labels::default()
        },
        database: "Verkäufe".into(),
        database_guid: [2; 16],
        family_guid: [3; 16],
        created: UtcTime(5),
        format_version: 1,
        recovery_model: RecoveryModel::BulkLogged,
        engine_flags: 9,
        first_lsn: Lsn::new(34, 16, 1),
        last_lsn: Lsn::new(35, 16, 1),
        checkpoint_lsn: Lsn::new(34, 17, 1),
        database_backup_lsn: Lsn::new(33, 17, 1),
        differential_base_lsn: Lsn::new(33, 16, 1),
        differential_base_guid: [4; 16],
        first_fork: [5; 16],
        last_fork: [6; 16],
        fork_point: Lsn::new(34, 18, 1),
        started: UtcTime(100),
        finished: UtcTime(200),
        size: 1 << 30,
        compressed_size: 1 << 29,
        compressed: true,
        has_checksums: true,
        is_damaged: false,
        begins_log_chain: true,
        is_copy_only: false,
        is_force_offline: true,
        has_bulk_logged_data: false,
        has_incomplete_metadata: true,
        complete: true,
        files: vec![BackupFile {
            id: FileId(1),
            kind: FileKind::Rows,
            name: "Verkäufe".into(),
            path: "/data/v.mdf".into(),
            size: 8 << 20,
            growth: taffrail_log::Growth::Percent(10),
            max_size: Some(1 << 40),
            pages: 17,
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_and_short_ones_are_refused() {
        let mut b = Vec::new();
        sample().encode(&mut b);
        assert_eq!(SetHeader::decode(&mut Take(&b)), Some(sample()));
        for n in 0..b.len() {
            assert_eq!(SetHeader::decode(&mut Take(&b[..n])), None, "{n} bytes");
        }
    }
}
