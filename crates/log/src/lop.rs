//! Operations of log records (`LOP_*`) and their contexts (`LCX_*`), with SQL Server's numbers and names.

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $number:literal, $text:literal;)+ }) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "the names are the field's own")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($variant = $number,)+ }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name that views show.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The one with this number.
            pub const fn from_u8(n: u8) -> Option<$name> {
                match n { $($number => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

numbered! {
    /// The operation of a log record.
    Lop {
        Null = 0x00, "LOP_NULL";
        FormatPage = 0x01, "LOP_FORMAT_PAGE";
        InsertRows = 0x02, "LOP_INSERT_ROWS";
        DeleteRows = 0x03, "LOP_DELETE_ROWS";
        ModifyRow = 0x04, "LOP_MODIFY_ROW";
        ModifyHeader = 0x05, "LOP_MODIFY_HEADER";
        ModifyColumns = 0x06, "LOP_MODIFY_COLUMNS";
        SetBits = 0x07, "LOP_SET_BITS";
        SetFreeSpace = 0x0a, "LOP_SET_FREE_SPACE";
        DeleteSplit = 0x0b, "LOP_DELETE_SPLIT";
        UndoDeleteSplit = 0x0c, "LOP_UNDO_DELETE_SPLIT";
        ExpungeRows = 0x0d, "LOP_EXPUNGE_ROWS";
        FileHdrModify = 0x10, "LOP_FILE_HDR_MODIFY";
        SetGamBits = 0x11, "LOP_SET_GAM_BITS";
        CountDelta = 0x12, "LOP_COUNT_DELTA";
        RootChange = 0x13, "LOP_ROOT_CHANGE";
        CompressionInfo = 0x14, "LOP_COMPRESSION_INFO";
        InSysXact = 0x16, "LOP_INSYSXACT";
        RemoveVersionInfo = 0x7e, "LOP_REMOVE_VERSION_INFO";
        BeginXact = 0x80, "LOP_BEGIN_XACT";
        CommitXact = 0x81, "LOP_COMMIT_XACT";
        AbortXact = 0x82, "LOP_ABORT_XACT";
        PrepXact = 0x83, "LOP_PREP_XACT";
        MarkSavepoint = 0x84, "LOP_MARK_SAVEPOINT";
        ForgetXact = 0x85, "LOP_FORGET_XACT";
        CreateFile = 0x86, "LOP_CREATE_FILE";
        DropFile = 0x87, "LOP_DROP_FILE";
        MarkDdl = 0x88, "LOP_MARK_DDL";
        HobtDdl = 0x89, "LOP_HOBT_DDL";
        IdentNewval = 0x8a, "LOP_IDENT_NEWVAL";
        IdentSentval = 0x8b, "LOP_IDENT_SENTVAL";
        HobtDelta = 0x8c, "LOP_HOBT_DELTA";
        LockXact = 0x8d, "LOP_LOCK_XACT";
        MigrateLocks = 0x8f, "LOP_MIGRATE_LOCKS";
        BpDbver = 0x94, "LOP_BP_DBVER";
        CopyVersionInfo = 0x95, "LOP_COPY_VERSION_INFO";
        BeginCkpt = 0x96, "LOP_BEGIN_CKPT";
        XactCkpt = 0x98, "LOP_XACT_CKPT";
        EndCkpt = 0x99, "LOP_END_CKPT";
        BufWrite = 0x9a, "LOP_BUF_WRITE";
        BeginRecovery = 0xa0, "LOP_BEGIN_RECOVERY";
        EndRecovery = 0xa1, "LOP_END_RECOVERY";
        SortBegin = 0xaa, "LOP_SORT_BEGIN";
        SortEnd = 0xab, "LOP_SORT_END";
        SortExtent = 0xac, "LOP_SORT_EXTENT";
        CreateIndex = 0xad, "LOP_CREATE_INDEX";
        DropIndex = 0xae, "LOP_DROP_INDEX";
        CreateAllocchain = 0xb0, "LOP_CREATE_ALLOCCHAIN";
        ReplCommand = 0xc8, "LOP_REPL_COMMAND";
        BeginUpdate = 0xc9, "LOP_BEGIN_UPDATE";
        EndUpdate = 0xca, "LOP_END_UPDATE";
        ShrinkNoop = 0xd3, "LOP_SHRINK_NOOP";
        BulkExtAllocation = 0xd6, "LOP_BULK_EXT_ALLOCATION";
        CreatePhysicalFile = 0xd9, "LOP_CREATE_PHYSICAL_FILE";
        RangeInsert = 0xdc, "LOP_RANGE_INSERT";
        InvalidateCache = 0xdd, "LOP_INVALIDATE_CACHE";
    }
}

numbered! {
    /// The thing to which a log record's operation is applied.
    Lcx {
        Null = 0x00, "LCX_NULL";
        Heap = 0x01, "LCX_HEAP";
        Clustered = 0x02, "LCX_CLUSTERED";
        IndexLeaf = 0x03, "LCX_INDEX_LEAF";
        IndexInterior = 0x04, "LCX_INDEX_INTERIOR";
        TextMix = 0x05, "LCX_TEXT_MIX";
        TextTree = 0x06, "LCX_TEXT_TREE";
        Diagnostics = 0x07, "LCX_DIAGNOSTICS";
        Gam = 0x08, "LCX_GAM";
        Sgam = 0x09, "LCX_SGAM";
        Iam = 0x0a, "LCX_IAM";
        Pfs = 0x0b, "LCX_PFS";
        IdentityValue = 0x0c, "LCX_IDENTITY_VALUE";
        ObjectId = 0x0d, "LCX_OBJECT_ID";
        NonsysSplit = 0x0e, "LCX_NONSYS_SPLIT";
        FileHeader = 0x11, "LCX_FILE_HEADER";
        SchemaVersion = 0x12, "LCX_SCHEMA_VERSION";
        MarkAsGhost = 0x13, "LCX_MARK_AS_GHOST";
        BootPage = 0x14, "LCX_BOOT_PAGE";
        SysconfigPage = 0x15, "LCX_SYSCONFIG_PAGE";
        CtrAborted = 0x16, "LCX_CTR_ABORTED";
        BootPageCkpt = 0x17, "LCX_BOOT_PAGE_CKPT";
        DiffMap = 0x18, "LCX_DIFF_MAP";
        MlMap = 0x19, "LCX_ML_MAP";
        RemoveVersionInfo = 0x1a, "LCX_REMOVE_VERSION_INFO";
        DbccFormatted = 0x1b, "LCX_DBCC_FORMATTED";
        UnlinkedReorgPage = 0x1c, "LCX_UNLINKED_REORG_PAGE";
        BulkOperationPage = 0x1d, "LCX_BULK_OPERATION_PAGE";
        SortPage = 0x20, "LCX_SORT_PAGE";
        WorkFilePage = 0x21, "LCX_WORK_FILE_PAGE";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
        for &op in Lop::ALL {
            assert_eq!(Lop::from_u8(op as u8), Some(op));
            assert!(op.name().starts_with("LOP_"));
        }
        for &cx in Lcx::ALL {
            assert_eq!(Lcx::from_u8(cx as u8), Some(cx));
        }
        assert_eq!(Lop::from_u8(0xff), None);
    }
}
