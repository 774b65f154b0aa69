//! Lock modes: names, compatibility, conversion.
//!
//! A mode is a set of claims. Simple modes make one claim (S: I read it all; IX: I change parts), the others several
//! (SIX = S + IX; a key-range mode = a claim on the gap before the key + a claim on the key). Two modes are compatible
//! when no claim of one conflicts with a claim of the other; converting unites the claims. Both tables below are
//! computed from that at compile time, and tests hold them against the tables that the product documentation prints.

use taffrail_observe::WaitType;

/// A lock mode, with SQL Server's numbering order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LockMode {
    /// No lock is held.
    Null,
    /// Schema stability: the object's definition must not change.
    SchS,
    /// Schema modification: excludes all other use.
    SchM,
    /// Shared: reads, beside other readers.
    S,
    /// Update: shared with readers, not with another update.
    U,
    /// Exclusive: changes, with nobody beside.
    X,
    /// Intent to take shared locks below.
    IS,
    /// Intent to take update locks below.
    IU,
    /// Intent to take exclusive locks below.
    IX,
    /// S and IU together.
    SIU,
    /// S and IX together.
    SIX,
    /// U and IX together.
    UIX,
    /// Bulk update: loads beside other loads.
    BU,
    /// Gap shared, key shared: serializable range scan.
    RangeSS,
    /// Gap shared, key update: serializable update scan.
    RangeSU,
    /// Gap insert, key not locked: tests a gap before an insertion.
    RangeIN,
    /// RangeI-N and S together.
    RangeIS,
    /// RangeI-N and U together.
    RangeIU,
    /// RangeI-N and X together.
    RangeIX,
    /// RangeI-N and RangeS-S together.
    RangeXS,
    /// RangeI-N and RangeS-U together.
    RangeXU,
    /// Gap exclusive, key exclusive.
    RangeXX,
}

use LockMode::*;

/// Claims that a mode consists of.
mod claim {
    pub const SCH_S: u16 = 1 << 0;
    pub const SCH_M: u16 = 1 << 1;
    pub const S: u16 = 1 << 2;
    pub const U: u16 = 1 << 3;
    pub const X: u16 = 1 << 4;
    pub const IS: u16 = 1 << 5;
    pub const IU: u16 = 1 << 6;
    pub const IX: u16 = 1 << 7;
    pub const BU: u16 = 1 << 8;
    pub const GAP_S: u16 = 1 << 9;
    pub const GAP_I: u16 = 1 << 10;
    pub const GAP_X: u16 = 1 << 11;
    pub const COUNT: usize = 12;
    pub const ALL: u16 = (1 << COUNT) - 1;
    const GAPS: u16 = GAP_S | GAP_I | GAP_X;
    const KEYS: u16 = ALL & !GAPS;

    /// The claims that each claim conflicts with, in the order of the constants.
    pub const CONFLICTS: [u16; COUNT] = [
        SCH_M,
        ALL,
        SCH_M | X | IX | BU,
        SCH_M | U | X | IU | IX | BU,
        KEYS & !SCH_S,
        SCH_M | X | BU,
        SCH_M | U | X | BU,
        SCH_M | S | U | X | BU,
        KEYS & !(SCH_S | BU),
        SCH_M | GAP_I | GAP_X,
        SCH_M | GAP_S | GAP_X,
        SCH_M | GAPS,
    ];

    /// The claims that each claim contains.
    pub const CONTAINS: [u16; COUNT] = [
        SCH_S,
        ALL,
        SCH_S | S | IS,
        SCH_S | S | U | IS | IU,
        SCH_S | S | U | X | IS | IU | IX,
        SCH_S | IS,
        SCH_S | IS | IU,
        SCH_S | IS | IU | IX,
        SCH_S | BU,
        GAP_S,
        GAP_I,
        GAPS,
    ];
}

impl LockMode {
    /// How many modes there are, [`LockMode::Null`] included.
    pub const COUNT: usize = 22;

    /// All of them, in order.
    pub const ALL: [LockMode; Self::COUNT] = [
        Null, SchS, SchM, S, U, X, IS, IU, IX, SIU, SIX, UIX, BU, RangeSS, RangeSU, RangeIN,
        RangeIS, RangeIU, RangeIX, RangeXS, RangeXU, RangeXX,
    ];

    /// The claims as they are written in the mode's name.
    const fn claims(self) -> u16 {
        use claim::*;
        match self {
            Null => 0,
            SchS => claim::SCH_S,
            SchM => claim::SCH_M,
            LockMode::S => claim::S,
            LockMode::U => claim::U,
            LockMode::X => claim::X,
            LockMode::IS => claim::IS,
            LockMode::IU => claim::IU,
            LockMode::IX => claim::IX,
            SIU => claim::S | claim::IU,
            SIX => claim::S | claim::IX,
            UIX => claim::U | claim::IX,
            LockMode::BU => claim::BU,
            RangeSS => GAP_S | claim::S,
            RangeSU => GAP_S | claim::U,
            RangeIN => GAP_I,
            RangeIS => GAP_I | claim::S,
            RangeIU => GAP_I | claim::U,
            RangeIX => GAP_I | claim::X,
            RangeXS => GAP_X | claim::S,
            RangeXU => GAP_X | claim::U,
            RangeXX => GAP_X | claim::X,
        }
    }

    const fn closure(self) -> u16 {
        let (mut all, mut i) = (0, 0);
        while i < claim::COUNT {
            if self.claims() & (1 << i) != 0 {
                all |= claim::CONTAINS[i];
            }
            i += 1;
        }
        all
    }

    /// True when both may be held on one resource by different owners.
    pub const fn is_compatible_with(self, other: LockMode) -> bool {
        CONFLICTING[self as usize].0 & (1 << other as u32) == 0
    }

    /// The modes that it conflicts with.
    pub const fn conflicts(self) -> ModeSet {
        CONFLICTING[self as usize]
    }

    /// The weakest mode that holds everything that both hold: what an owner of `self` gets by asking for `other`.
    pub const fn with(self, other: LockMode) -> LockMode {
        UNION[self as usize][other as usize]
    }

    /// True when holding `self` makes asking for `other` on the same resource needless.
    pub const fn covers(self, other: LockMode) -> bool {
        UNION[self as usize][other as usize] as u8 == self as u8
    }

    /// True when a holder of `self` on an object needs no lock of mode `row` on its rows.
    pub const fn covers_row(self, row: LockMode) -> bool {
        COVERED_ROWS[self as usize].contains(row)
    }

    /// True when nobody else may insert before a key that is held so.
    pub const fn guards_gap(self) -> bool {
        !self.is_compatible_with(RangeIN)
    }

    /// True when its holder may have changed parts of an object that it holds so.
    pub const fn writes(self) -> bool {
        WRITING.contains(self)
    }

    /// The mode's name, `request_mode` of `sys.dm_tran_locks`.
    pub const fn name(self) -> &'static str {
        match self {
            Null => "NULL",
            SchS => "Sch-S",
            SchM => "Sch-M",
            S => "S",
            U => "U",
            X => "X",
            IS => "IS",
            IU => "IU",
            IX => "IX",
            SIU => "SIU",
            SIX => "SIX",
            UIX => "UIX",
            BU => "BU",
            RangeSS => "RangeS-S",
            RangeSU => "RangeS-U",
            RangeIN => "RangeI-N",
            RangeIS => "RangeI-S",
            RangeIU => "RangeI-U",
            RangeIX => "RangeI-X",
            RangeXS => "RangeX-S",
            RangeXU => "RangeX-U",
            RangeXX => "RangeX-X",
        }
    }

    /// The wait type under which waiting for it is counted.
    pub const fn wait_type(self) -> WaitType {
        match self {
            SchS | Null => WaitType::LckMSchS,
            SchM => WaitType::LckMSchM,
            S => WaitType::LckMS,
            U => WaitType::LckMU,
            X => WaitType::LckMX,
            IS => WaitType::LckMIS,
            IU => WaitType::LckMIU,
            IX => WaitType::LckMIX,
            SIU => WaitType::LckMSIU,
            SIX => WaitType::LckMSIX,
            UIX => WaitType::LckMUIX,
            BU => WaitType::LckMBU,
            RangeSS => WaitType::LckMRsS,
            RangeSU => WaitType::LckMRsU,
            RangeIN => WaitType::LckMRInNL,
            RangeIS => WaitType::LckMRInS,
            RangeIU => WaitType::LckMRInU,
            RangeIX => WaitType::LckMRInX,
            RangeXS => WaitType::LckMRxS,
            RangeXU => WaitType::LckMRxU,
            RangeXX => WaitType::LckMRxX,
        }
    }
}

/// A set of lock modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModeSet(u32);

impl ModeSet {
    /// The set of no mode.
    pub const EMPTY: ModeSet = ModeSet(0);

    /// Modes under which the holder of a lock on an object may have changed parts of it.
    pub const WRITING: ModeSet = WRITING;

    /// The set of these modes.
    pub const fn of(modes: &[LockMode]) -> ModeSet {
        let (mut set, mut i) = (0, 0);
        while i < modes.len() {
            set |= 1 << modes[i] as u32;
            i += 1;
        }
        ModeSet(set)
    }

    /// True when the mode is one of them.
    pub const fn contains(self, mode: LockMode) -> bool {
        self.0 & (1 << mode as u32) != 0
    }

    /// True when every mode of this set is in the other.
    pub const fn is_within(self, other: ModeSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// True when they share a mode.
    pub const fn meets(self, other: ModeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// This set and one more mode.
    pub const fn and(self, mode: LockMode) -> ModeSet {
        ModeSet(self.0 | 1 << mode as u32)
    }
}

const WRITING: ModeSet = ModeSet::of(&[SchM, X, IX, SIX, UIX, BU]);

/// Per mode, the modes that it conflicts with.
static CONFLICTING: [ModeSet; LockMode::COUNT] = conflicting();
/// Per pair, the weakest mode that holds both.
static UNION: [[LockMode; LockMode::COUNT]; LockMode::COUNT] = unions();

/// Per mode of a lock on an object, the row modes that it makes needless.
static COVERED_ROWS: [ModeSet; LockMode::COUNT] = covered_rows();

const fn covered_rows() -> [ModeSet; LockMode::COUNT] {
    const GAPS: u16 = claim::GAP_S | claim::GAP_I | claim::GAP_X;
    let mut table = [ModeSet::EMPTY; LockMode::COUNT];
    let mut a = 0;
    while a < LockMode::COUNT {
        let object = LockMode::ALL[a];
        let mut b = 0;
        while b < LockMode::COUNT {
            let row = LockMode::ALL[b].claims();
            let key = row & !GAPS;
            // A gap is covered only if nobody else may insert into the object.
            let gap = row & GAPS == 0 || !object.is_compatible_with(LockMode::IX);
            if object.closure() & key == key && gap {
                table[a] = table[a].and(LockMode::ALL[b]);
            }
            b += 1;
        }
        a += 1;
    }
    table
}

const fn conflicting() -> [ModeSet; LockMode::COUNT] {
    let mut table = [ModeSet::EMPTY; LockMode::COUNT];
    let mut a = 0;
    while a < LockMode::COUNT {
        let (mut conflicts, mut i) = (0, 0);
        while i < claim::COUNT {
            if LockMode::ALL[a].claims() & (1 << i) != 0 {
                conflicts |= claim::CONFLICTS[i];
            }
            i += 1;
        }
        let mut b = 0;
        while b < LockMode::COUNT {
            if conflicts & LockMode::ALL[b].claims() != 0 {
                table[a] = table[a].and(LockMode::ALL[b]);
            }
            b += 1;
        }
        a += 1;
    }
    table
}

const fn unions() -> [[LockMode; LockMode::COUNT]; LockMode::COUNT] {
    let mut table = [[SchM; LockMode::COUNT]; LockMode::COUNT];
    let mut a = 0;
    while a < LockMode::COUNT {
        let mut b = 0;
        while b < LockMode::COUNT {
            let wanted = LockMode::ALL[a].closure() | LockMode::ALL[b].closure();
            // The mode with the fewest claims that contains them all; Sch-M contains everything. A gap to be scanned
            // and inserted into is an exclusive gap.
            let (mut best, mut best_claims, mut c) = (SchM, u32::MAX, 0);
            while c < LockMode::COUNT {
                let closure = LockMode::ALL[c].closure();
                if closure & wanted == wanted && closure.count_ones() < best_claims {
                    (best, best_claims) = (LockMode::ALL[c], closure.count_ones());
                }
                c += 1;
            }
            table[a][b] = best;
            b += 1;
        }
        a += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Lock compatibility" of the product documentation: rows are requested, columns granted.
    const DOCUMENTED: ([LockMode; 6], [[bool; 6]; 6]) = (
        [IS, S, U, IX, SIX, X],
        [
            [true, true, true, true, true, false],
            [true, true, true, false, false, false],
            [true, true, false, false, false, false],
            [true, false, false, true, false, false],
            [true, false, false, false, false, false],
            [false, false, false, false, false, false],
        ],
    );

    /// "Key-range lock compatibility" of the product documentation.
    const DOCUMENTED_RANGES: ([LockMode; 7], [[bool; 7]; 7]) = (
        [S, U, X, RangeSS, RangeSU, RangeIN, RangeXX],
        [
            [true, true, false, true, true, true, false],
            [true, false, false, true, false, true, false],
            [false, false, false, false, false, true, false],
            [true, true, false, true, true, false, false],
            [true, false, false, true, false, false, false],
            [true, true, true, false, false, true, false],
            [false, false, false, false, false, false, false],
        ],
    );

    /// "Conversion locks" of the product documentation: first + second = conversion lock.
    const DOCUMENTED_CONVERSIONS: [(LockMode, LockMode, LockMode); 9] = [
        (S, RangeIN, RangeIS),
        (U, RangeIN, RangeIU),
        (X, RangeIN, RangeIX),
        (RangeIN, RangeSS, RangeXS),
        (RangeIN, RangeSU, RangeXU),
        (S, IX, SIX),
        (S, IU, SIU),
        (U, IX, UIX),
        (S, X, X),
    ];

    #[test]
    fn compatibility_is_as_documented() {
        let (modes, table) = DOCUMENTED;
        for (i, a) in modes.iter().enumerate() {
            for (j, b) in modes.iter().enumerate() {
                assert_eq!(a.is_compatible_with(*b), table[i][j], "{a:?} {b:?}");
            }
        }
        let (modes, table) = DOCUMENTED_RANGES;
        for (i, a) in modes.iter().enumerate() {
            for (j, b) in modes.iter().enumerate() {
                assert_eq!(a.is_compatible_with(*b), table[i][j], "{a:?} {b:?}");
            }
        }
        for m in LockMode::ALL {
            assert!(Null.is_compatible_with(m));
            // Sch-S conflicts with Sch-M alone, Sch-M with everything, BU only shares with BU and Sch-S.
            assert_eq!(SchS.is_compatible_with(m), m != SchM, "{m:?}");
            assert_eq!(SchM.is_compatible_with(m), m == Null, "{m:?}");
            assert_eq!(BU.is_compatible_with(m), matches!(m, Null | SchS | BU | RangeIN), "{m:?}");
            for n in LockMode::ALL {
                assert_eq!(m.is_compatible_with(n), n.is_compatible_with(m), "{m:?} {n:?}");
            }
        }
    }

    #[test]
    fn conversions_are_as_documented_and_least() {
        for (a, b, both) in DOCUMENTED_CONVERSIONS {
            assert_eq!((a.with(b), b.with(a)), (both, both), "{a:?} + {b:?}");
        }
        for a in LockMode::ALL {
            assert_eq!((a.with(a), a.with(Null)), (a, a));
            assert!(a.covers(Null) && SchM.covers(a));
            for b in LockMode::ALL {
                let both = a.with(b);
                assert!(both.covers(a) && both.covers(b), "{a:?} + {b:?} = {both:?}");
                // Who is compatible with the union is compatible with each part.
                let parts = ModeSet(a.conflicts().0 | b.conflicts().0);
                assert!(parts.is_within(both.conflicts()), "{a:?} + {b:?} = {both:?}");
            }
        }
    }

    #[test]
    fn an_object_lock_covers_rows() {
        for (object, row, covered) in [
            (X, X, true),
            (X, U, true),
            (X, RangeXX, true),
            (S, S, true),
            (S, RangeSS, true),
            (S, U, false),
            (S, X, false),
            (SIX, S, true),
            (SIX, X, false),
            (IX, S, false),
            (IS, S, false),
            (SchM, X, true),
            (Null, S, false),
        ] {
            assert_eq!(object.covers_row(row), covered, "{object:?} {row:?}");
        }
    }

    #[test]
    fn names_agree_with_wait_types() {
        assert_eq!(X.wait_type().name(), "LCK_M_X");
        assert_eq!(SIX.wait_type().name(), "LCK_M_SIX");
        assert_eq!(RangeIN.wait_type().name(), "LCK_M_RIn_NL");
        assert_eq!(RangeXX.name(), "RangeX-X");
    }
}
