//! What can be locked, packed into 24 bytes, and how views name it.

use taffrail_base::{DatabaseId, HobtId, ObjectId, PageId};

/// The kinds of resources, `resource_type` of `sys.dm_tran_locks`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ResourceKind {
    /// A database as a whole.
    Database,
    /// A file of a database.
    File,
    /// A table, procedure …
    Object,
    /// A page of a heap or tree.
    Page,
    /// A row of an index, by the hash of its key.
    Key,
    /// An extent of eight pages.
    Extent,
    /// A row of a heap.
    Rid,
    /// A name of the application's: `sp_getapplock`.
    Application,
    /// Names and other parts of the catalogue.
    Metadata,
    /// A heap or B+ tree as a whole.
    Hobt,
    /// The pages of a heap or tree: an allocation unit.
    AllocationUnit,
}

impl ResourceKind {
    /// How many there are.
    pub const COUNT: usize = 11;

    /// All of them, in order.
    pub const ALL: [ResourceKind; Self::COUNT] = [
        ResourceKind::Database,
        ResourceKind::File,
        ResourceKind::Object,
        ResourceKind::Page,
        ResourceKind::Key,
        ResourceKind::Extent,
        ResourceKind::Rid,
        ResourceKind::Application,
        ResourceKind::Metadata,
        ResourceKind::Hobt,
        ResourceKind::AllocationUnit,
    ];

    /// The text of `resource_type`.
    pub const fn name(self) -> &'static str {
        match self {
            ResourceKind::Database => "DATABASE",
            ResourceKind::File => "FILE",
            ResourceKind::Object => "OBJECT",
            ResourceKind::Page => "PAGE",
            ResourceKind::Key => "KEY",
            ResourceKind::Extent => "EXTENT",
            ResourceKind::Rid => "RID",
            ResourceKind::Application => "APPLICATION",
            ResourceKind::Metadata => "METADATA",
            ResourceKind::Hobt => "HOBT",
            ResourceKind::AllocationUnit => "ALLOCATION_UNIT",
        }
    }

    /// The instance name in the counter object `SQLServer:Locks`.
    pub const fn counter_instance(self) -> &'static str {
        match self {
            ResourceKind::Database => "Database",
            ResourceKind::File => "File",
            ResourceKind::Object => "Object",
            ResourceKind::Page => "Page",
            ResourceKind::Key => "Key",
            ResourceKind::Extent => "Extent",
            ResourceKind::Rid => "RID",
            ResourceKind::Application => "Application",
            ResourceKind::Metadata => "Metadata",
            ResourceKind::Hobt => "HoBT",
            ResourceKind::AllocationUnit => "AllocUnit",
        }
    }
}

/// Something that can be locked. The lock manager compares and hashes it, and nothing more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Resource {
    database: DatabaseId,
    kind: ResourceKind,
    /// Object id, hobt id, page or file, by kind.
    entity: u64,
    /// Key hash, slot, subresource, by kind.
    detail: u64,
}

const _: () = assert!(size_of::<Resource>() == 24);

impl Resource {
    const fn new(kind: ResourceKind, database: DatabaseId, entity: u64, detail: u64) -> Resource {
        Resource { database, kind, entity, detail }
    }

    /// The resource of a database.
    pub const fn database(database: DatabaseId) -> Resource {
        Self::new(ResourceKind::Database, database, 0, 0)
    }

    /// A table or another object of the catalogue.
    pub const fn object(database: DatabaseId, object: ObjectId) -> Resource {
        Self::new(ResourceKind::Object, database, object.0 as u32 as u64, 0)
    }

    /// The resource of a page.
    pub const fn page(database: DatabaseId, page: PageId) -> Resource {
        Self::new(ResourceKind::Page, database, page.to_u64(), 0)
    }

    /// A row of a B+ tree by the 48-bit hash of its key; hashes that collide only lock each other's rows.
    pub const fn key(database: DatabaseId, hobt: HobtId, hash: u64) -> Resource {
        Self::new(ResourceKind::Key, database, hobt.0, hash & 0xffff_ffff_ffff)
    }

    /// A row of a heap.
    pub const fn rid(database: DatabaseId, page: PageId, slot: u16) -> Resource {
        Self::new(ResourceKind::Rid, database, page.to_u64(), slot as u64)
    }

    /// A heap or B+ tree as a whole.
    pub const fn hobt(database: DatabaseId, hobt: HobtId) -> Resource {
        Self::new(ResourceKind::Hobt, database, hobt.0, 0)
    }

    /// The resource of a file.
    pub const fn file(database: DatabaseId, file: u16) -> Resource {
        Self::new(ResourceKind::File, database, file as u64, 0)
    }

    /// A name or class of the catalogue, by a number and a hash that the caller chooses.
    pub const fn metadata(database: DatabaseId, class: u32, hash: u64) -> Resource {
        Self::new(ResourceKind::Metadata, database, class as u64, hash)
    }

    /// An application's own lock, by the hash of its name.
    pub const fn application(database: DatabaseId, hash: u64) -> Resource {
        Self::new(ResourceKind::Application, database, 0, hash)
    }

    /// The kind of resource.
    pub const fn kind(&self) -> ResourceKind {
        self.kind
    }

    /// The database of the resource, `resource_database_id`.
    pub const fn database_id(&self) -> DatabaseId {
        self.database
    }

    /// The object, if it is one.
    pub const fn object_id(&self) -> Option<ObjectId> {
        match self.kind {
            ResourceKind::Object => Some(ObjectId(self.entity as u32 as i32)),
            _ => None,
        }
    }

    /// `resource_associated_entity_id`: an object's id, a key's heap or B+ tree; 0 where the resource does not tell.
    pub const fn associated_entity_id(&self) -> i64 {
        match self.kind {
            ResourceKind::Object => self.entity as u32 as i32 as i64,
            ResourceKind::Key | ResourceKind::Hobt | ResourceKind::AllocationUnit => {
                self.entity as i64
            }
            _ => 0,
        }
    }

    /// The number of the object, tree or page, as the kind has it.
    pub(super) fn entity(&self) -> u64 {
        self.entity
    }

    /// The row within that.
    pub(super) fn detail(&self) -> u64 {
        self.detail
    }

    /// A number that hardly any other resource has, for reports.
    pub fn identity(&self) -> u64 {
        self.hash() >> 16
    }

    /// The text of `resource_description`.
    pub fn description(&self) -> String {
        let page = PageId::from_u64(self.entity);
        match self.kind {
            ResourceKind::Key => format!("({:012x})", self.detail),
            ResourceKind::Page | ResourceKind::Extent => format!("{}:{}", page.file, page.page),
            ResourceKind::Rid => format!("{}:{}:{}", page.file, page.page, self.detail),
            ResourceKind::File => self.entity.to_string(),
            ResourceKind::Application => format!("0:[]:({:08x})", self.detail as u32),
            _ => String::new(),
        }
    }

    /// The text of `wait_resource` in `sys.dm_exec_requests`.
    pub fn wait_resource(&self) -> String {
        let (kind, db, description) = (self.kind.name(), self.database, self.description());
        match self.kind {
            ResourceKind::Key => format!("KEY: {db}:{} {description}", self.entity),
            ResourceKind::Object => format!("OBJECT: {db}:{}:0", self.associated_entity_id()),
            ResourceKind::Database => format!("DATABASE: {db}:0"),
            ResourceKind::Hobt => format!("HOBT: {db}:{}", self.entity),
            _ => format!("{kind}: {db}:{description}"),
        }
    }

    /// A well-mixed hash. Not seeded: the order of nothing depends on it, and key hashes come mixed already.
    ///
    /// Rows of a heap's page lie side by side in one shard, in buckets that follow each other (the low bits), and only
    /// the tag that a bucket is recognised by (the high bits) is mixed anew for each: a transaction that fills page
    /// after page finds its next bucket in the cache.
    pub(super) fn hash(&self) -> u64 {
        const K1: u64 = 0x9e37_79b9_7f4a_7c15;
        const K2: u64 = 0xd6e8_feb8_6659_fd93;
        const TAG: u64 = 0xfe00_0000_0000_0000;
        let top = (self.database.0 as u64) << 8 | self.kind as u64;
        let a = fold(self.entity ^ K1, top.wrapping_mul(K2) ^ K2);
        let mixed = fold(a ^ self.detail.wrapping_add(K1), K1);
        match self.kind {
            ResourceKind::Rid => (mixed & TAG) | (a.wrapping_add(self.detail) & !TAG),
            _ => mixed,
        }
    }
}

/// Both halves of the 128-bit product: every input bit reaches every output bit.
fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_name_resources_as_sql_server_does() {
        let db = DatabaseId(5);
        let key = Resource::key(db, HobtId(72_057_594_043_695_104), 0xfeed_8194_443a_c961);
        assert_eq!(key.description(), "(8194443ac961)");
        assert_eq!(key.wait_resource(), "KEY: 5:72057594043695104 (8194443ac961)");
        let rid = Resource::rid(db, PageId::new(1, 153), 7);
        assert_eq!(rid.wait_resource(), "RID: 5:1:153:7");
        assert_eq!(Resource::object(db, ObjectId(-3)).associated_entity_id(), -3);
        assert_eq!(Resource::object(db, ObjectId(99)).wait_resource(), "OBJECT: 5:99:0");
        assert_eq!(Resource::page(db, PageId::new(1, 8)).wait_resource(), "PAGE: 5:1:8");
        assert_eq!(Resource::database(db).wait_resource(), "DATABASE: 5:0");
    }

    #[test]
    fn neighbouring_resources_spread() {
        // 16 Ki consecutive pages, or keys, over 128 shards: none gets twice its share, or less than half of it.
        let shard = |r: Resource| (r.hash() >> 48) as usize % 128;
        let mut shards = [[0u32; 128]; 2];
        for n in 0..16 * 1024 {
            shards[0][shard(Resource::rid(DatabaseId(5), PageId::new(1, n), 3))] += 1;
            shards[1][shard(Resource::key(DatabaseId(5), HobtId(7), n.into()))] += 1;
        }
        let even = |n: &u32| (64..256).contains(n);
        assert!(shards.as_flattened().iter().all(even), "{shards:?}");
    }

    #[test]
    fn rows_of_a_page_are_neighbours() {
        let hash = |slot| Resource::rid(DatabaseId(5), PageId::new(1, 77), slot).hash();
        let mut tags = std::collections::BTreeSet::new();
        for slot in 0..64 {
            assert_eq!(hash(slot) << 16, hash(0).wrapping_add(slot.into()) << 16, "buckets");
            assert_eq!(hash(slot) >> 48 & 127, hash(0) >> 48 & 127, "one shard");
            tags.insert(hash(slot) >> 57);
        }
        assert!(tags.len() > 32, "buckets are told apart: {tags:?}");
    }
}
