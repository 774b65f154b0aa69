//! Versions of the protocol and what changed with them.

/// A version that can be spoken. The order is the order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum TdsVersion {
    /// SQL Server 2000: no ALL_HEADERS, 2-byte user types, 4-byte row counts, no (max) types.
    V7_1,
    /// SQL Server 2005: ALL_HEADERS, PLP, 8-byte row counts.
    V7_2,
    /// SQL Server 2008: date, time, datetime2, datetimeoffset, table-valued parameters.
    V7_3A,
    /// SQL Server 2008 R2: NBCROW.
    V7_3B,
    /// SQL Server 2012 and later: feature extensions.
    #[default]
    V7_4,
    /// SQL Server 2022: TLS first; otherwise as 7.4.
    V8_0,
}

impl TdsVersion {
    /// The version to speak with a client that sent `value` (the little-endian DWORD of LOGIN7): the newest known
    /// one that is not newer than the client's. None for what is older than 7.1.
    pub fn negotiate(value: u32) -> Option<TdsVersion> {
        use TdsVersion::*;
        // 8.0 broke the habit of counting in the high nibbles.
        if value == 0x0800_0000 {
            return Some(V8_0);
        }
        // 7.0 (0x70000000) differs from 7.1 only in strings without collations; nothing that speaks only that is
        // left. FreeTDS that is told "7.0" is answered 7.1 as SQL Server 2008 and later would refuse it.
        match value {
            0x7400_0004.. => Some(V7_4),
            0x730B_0003.. => Some(V7_3B),
            0x730A_0003.. => Some(V7_3A),
            0x7209_0002.. => Some(V7_2),
            0x7100_0000.. => Some(V7_1),
            _ => None,
        }
    }

    /// The value in LOGIN7 (little-endian DWORD).
    pub fn login_value(self) -> u32 {
        match self {
            TdsVersion::V7_1 => 0x7100_0001,
            TdsVersion::V7_2 => 0x7209_0002,
            TdsVersion::V7_3A => 0x730A_0003,
            TdsVersion::V7_3B => 0x730B_0003,
            TdsVersion::V7_4 => 0x7400_0004,
            TdsVersion::V8_0 => 0x0800_0000,
        }
    }

    /// The value in LOGINACK, which is the same DWORD in the other byte order.
    pub fn loginack_bytes(self) -> [u8; 4] {
        self.login_value().to_be_bytes()
    }

    /// As an administrator reads it.
    pub fn name(self) -> &'static str {
        match self {
            TdsVersion::V7_1 => "7.1",
            TdsVersion::V7_2 => "7.2",
            TdsVersion::V7_3A => "7.3A",
            TdsVersion::V7_3B => "7.3B",
            TdsVersion::V7_4 => "7.4",
            TdsVersion::V8_0 => "8.0",
        }
    }

    /// Requests begin with ALL_HEADERS; user types and row counts are wide; PLP exists.
    #[inline]
    pub fn is_wide(self) -> bool {
        self >= TdsVersion::V7_2
    }

    /// date, time, datetime2 and datetimeoffset exist.
    #[inline]
    pub fn has_new_dates(self) -> bool {
        self >= TdsVersion::V7_3A
    }

    /// Whether the version knows NBCROW.
    #[inline]
    pub fn has_nbcrow(self) -> bool {
        self >= TdsVersion::V7_3B
    }
}

#[cfg(test)]
mod tests {
    use super::TdsVersion::*;
    use super::*;

    #[test]
    fn versions_round_trip_and_newer_clients_get_ours() {
        for v in [V7_1, V7_2, V7_3A, V7_3B, V7_4, V8_0] {
            assert_eq!(TdsVersion::negotiate(v.login_value()), Some(v));
        }
        assert_eq!(TdsVersion::negotiate(0x7500_0001), Some(V7_4));
        assert_eq!(TdsVersion::negotiate(0x7100_0000), Some(V7_1));
        assert_eq!(TdsVersion::negotiate(0x7000_0000), None);
        assert_eq!(V7_4.loginack_bytes(), [0x74, 0, 0, 4]);
    }
}
