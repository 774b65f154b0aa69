//! The events of DDL that triggers of a database or of the server fire for, and the groups that they stand in: `sys.trigger_event_types`.
//!
//! ```text
//! DDL_EVENTS ─┬─ DDL_DATABASE_LEVEL_EVENTS ── DDL_TABLE_VIEW_EVENTS ── DDL_TABLE_EVENTS ── CREATE_TABLE, ALTER_TABLE, DROP_TABLE …
//!             └─ DDL_SERVER_LEVEL_EVENTS ──── DDL_LOGIN_EVENTS …
//! ```
//! Numbers of groups begin with 10001. A group that is named at CREATE TRIGGER stands for the events below it.

/// A number of `sys.trigger_event_types`: of an event, or of a group of events.
pub type EventNumber = u16;

/// The group of all events that happen in a database.
const DATABASE_LEVEL: EventNumber = 10016;

/// The first number that is a group's.
const GROUPS: EventNumber = 10001;

/// LOGON, which is an event of logon triggers and no row of the view.
pub const LOGON: EventNumber = 147;

/// A row of `sys.trigger_event_types`.
#[derive(Debug)]
pub struct EventType {
    /// The number of the event or group.
    pub number: EventNumber,
    /// The name behind FOR in CREATE TRIGGER.
    pub name: &'static str,
    /// The group above; 0 where there is none.
    pub parent: EventNumber,
}

impl EventType {
    /// Whether it is a group of events.
    pub fn is_group(&self) -> bool {
        self.number >= GROUPS
    }

    /// The groups above, from the inside.
    fn above(&self) -> impl Iterator<Item = &'static EventType> {
        std::iter::successors(by_number(self.parent), |group| by_number(group.parent))
    }

    /// Whether it stands somewhere below a group, or is the group.
    pub fn is_in(&self, group: EventNumber) -> bool {
        self.number == group || self.above().any(|above| above.number == group)
    }

    /// Whether a trigger of a database can be made for it.
    pub fn is_of_database(&self) -> bool {
        self.is_in(DATABASE_LEVEL)
    }

    /// The events that it stands for: those below a group, or the event itself.
    pub fn events(&self) -> impl Iterator<Item = &'static EventType> {
        let number = self.number;
        EVENT_TYPES.iter().filter(move |e| !e.is_group() && e.is_in(number))
    }
}

/// An event or group by its number.
pub fn by_number(number: EventNumber) -> Option<&'static EventType> {
    EVENT_TYPES.binary_search_by_key(&number, |e| e.number).ok().map(|at| &EVENT_TYPES[at])
}

/// An event or group by its name, in capitals or not.
pub fn by_name(name: &str) -> Option<&'static EventType> {
    EVENT_TYPES.iter().find(|e| e.name.eq_ignore_ascii_case(name))
}

/// An event or group of a number, name and parent.
const fn of(number: EventNumber, name: &'static str, parent: EventNumber) -> EventType {
    EventType { number, name, parent }
}

/// All events and groups, by their numbers.
#[rustfmt::skip]
pub static EVENT_TYPES: &[EventType] = &[
    of(21, "CREATE_TABLE", 10018),
    of(22, "ALTER_TABLE", 10018),
    of(23, "DROP_TABLE", 10018),
    of(24, "CREATE_INDEX", 10020),
    of(25, "ALTER_INDEX", 10020),
    of(26, "DROP_INDEX", 10020),
    of(27, "CREATE_STATISTICS", 10021),
    of(28, "UPDATE_STATISTICS", 10021),
    of(29, "DROP_STATISTICS", 10021),
    of(34, "CREATE_SYNONYM", 10022),
    of(36, "DROP_SYNONYM", 10022),
    of(41, "CREATE_VIEW", 10019),
    of(42, "ALTER_VIEW", 10019),
    of(43, "DROP_VIEW", 10019),
    of(51, "CREATE_PROCEDURE", 10024),
    of(52, "ALTER_PROCEDURE", 10024),
    of(53, "DROP_PROCEDURE", 10024),
    of(61, "CREATE_FUNCTION", 10023),
    of(62, "ALTER_FUNCTION", 10023),
    of(63, "DROP_FUNCTION", 10023),
    of(71, "CREATE_TRIGGER", 10025),
    of(72, "ALTER_TRIGGER", 10025),
    of(73, "DROP_TRIGGER", 10025),
    of(74, "CREATE_EVENT_NOTIFICATION", 10026),
    of(76, "DROP_EVENT_NOTIFICATION", 10026),
    of(91, "CREATE_TYPE", 10028),
    of(93, "DROP_TYPE", 10028),
    of(101, "CREATE_ASSEMBLY", 10027),
    of(102, "ALTER_ASSEMBLY", 10027),
    of(103, "DROP_ASSEMBLY", 10027),
    of(131, "CREATE_USER", 10031),
    of(132, "ALTER_USER", 10031),
    of(133, "DROP_USER", 10031),
    of(134, "CREATE_ROLE", 10032),
    of(135, "ALTER_ROLE", 10032),
    of(136, "DROP_ROLE", 10032),
    of(137, "CREATE_APPLICATION_ROLE", 10033),
    of(138, "ALTER_APPLICATION_ROLE", 10033),
    of(139, "DROP_APPLICATION_ROLE", 10033),
    of(141, "CREATE_SCHEMA", 10034),
    of(142, "ALTER_SCHEMA", 10034),
    of(143, "DROP_SCHEMA", 10034),
    of(144, "CREATE_LOGIN", 10006),
    of(145, "ALTER_LOGIN", 10006),
    of(146, "DROP_LOGIN", 10006),
    of(151, "CREATE_MESSAGE_TYPE", 10042),
    of(152, "ALTER_MESSAGE_TYPE", 10042),
    of(153, "DROP_MESSAGE_TYPE", 10042),
    of(154, "CREATE_CONTRACT", 10043),
    of(156, "DROP_CONTRACT", 10043),
    of(157, "CREATE_QUEUE", 10044),
    of(158, "ALTER_QUEUE", 10044),
    of(159, "DROP_QUEUE", 10044),
    of(161, "CREATE_SERVICE", 10045),
    of(162, "ALTER_SERVICE", 10045),
    of(163, "DROP_SERVICE", 10045),
    of(164, "CREATE_ROUTE", 10046),
    of(165, "ALTER_ROUTE", 10046),
    of(166, "DROP_ROUTE", 10046),
    of(167, "GRANT_SERVER", 10007),
    of(168, "DENY_SERVER", 10007),
    of(169, "REVOKE_SERVER", 10007),
    of(170, "GRANT_DATABASE", 10035),
    of(171, "DENY_DATABASE", 10035),
    of(172, "REVOKE_DATABASE", 10035),
    of(174, "CREATE_REMOTE_SERVICE_BINDING", 10047),
    of(175, "ALTER_REMOTE_SERVICE_BINDING", 10047),
    of(176, "DROP_REMOTE_SERVICE_BINDING", 10047),
    of(177, "CREATE_XML_SCHEMA_COLLECTION", 10048),
    of(178, "ALTER_XML_SCHEMA_COLLECTION", 10048),
    of(179, "DROP_XML_SCHEMA_COLLECTION", 10048),
    of(181, "CREATE_ENDPOINT", 10003),
    of(182, "ALTER_ENDPOINT", 10003),
    of(183, "DROP_ENDPOINT", 10003),
    of(191, "CREATE_PARTITION_FUNCTION", 10050),
    of(192, "ALTER_PARTITION_FUNCTION", 10050),
    of(193, "DROP_PARTITION_FUNCTION", 10050),
    of(194, "CREATE_PARTITION_SCHEME", 10051),
    of(195, "ALTER_PARTITION_SCHEME", 10051),
    of(196, "DROP_PARTITION_SCHEME", 10051),
    of(197, "CREATE_CERTIFICATE", 10030),
    of(198, "ALTER_CERTIFICATE", 10030),
    of(199, "DROP_CERTIFICATE", 10030),
    of(201, "CREATE_DATABASE", 10004),
    of(202, "ALTER_DATABASE", 10004),
    of(203, "DROP_DATABASE", 10004),
    of(204, "ALTER_AUTHORIZATION_SERVER", 10008),
    of(205, "ALTER_AUTHORIZATION_DATABASE", 10036),
    of(206, "CREATE_XML_INDEX", 10020),
    of(207, "ADD_ROLE_MEMBER", 10032),
    of(208, "DROP_ROLE_MEMBER", 10032),
    of(209, "ADD_SERVER_ROLE_MEMBER", 10005),
    of(210, "DROP_SERVER_ROLE_MEMBER", 10005),
    of(211, "ALTER_EXTENDED_PROPERTY", 10053),
    of(212, "ALTER_FULLTEXT_CATALOG", 10054),
    of(213, "ALTER_FULLTEXT_INDEX", 10020),
    of(214, "ALTER_INSTANCE", 10002),
    of(215, "ALTER_MESSAGE", 10014),
    of(216, "ALTER_PLAN_GUIDE", 10055),
    of(217, "ALTER_REMOTE_SERVER", 10015),
    of(218, "BIND_DEFAULT", 10052),
    of(219, "BIND_RULE", 10056),
    of(220, "CREATE_DEFAULT", 10052),
    of(221, "CREATE_EXTENDED_PROCEDURE", 10011),
    of(222, "CREATE_EXTENDED_PROPERTY", 10053),
    of(223, "CREATE_FULLTEXT_CATALOG", 10054),
    of(224, "CREATE_FULLTEXT_INDEX", 10020),
    of(225, "CREATE_LINKED_SERVER", 10012),
    of(226, "CREATE_LINKED_SERVER_LOGIN", 10013),
    of(227, "CREATE_MESSAGE", 10014),
    of(228, "CREATE_PLAN_GUIDE", 10055),
    of(229, "CREATE_RULE", 10056),
    of(230, "CREATE_REMOTE_SERVER", 10015),
    of(231, "DROP_DEFAULT", 10052),
    of(232, "DROP_EXTENDED_PROCEDURE", 10011),
    of(233, "DROP_EXTENDED_PROPERTY", 10053),
    of(234, "DROP_FULLTEXT_CATALOG", 10054),
    of(235, "DROP_FULLTEXT_INDEX", 10020),
    of(236, "DROP_LINKED_SERVER_LOGIN", 10013),
    of(237, "DROP_MESSAGE", 10014),
    of(238, "DROP_PLAN_GUIDE", 10055),
    of(239, "DROP_RULE", 10056),
    of(240, "DROP_REMOTE_SERVER", 10015),
    of(241, "RENAME", 10016),
    of(242, "UNBIND_DEFAULT", 10052),
    of(243, "UNBIND_RULE", 10056),
    of(244, "CREATE_SYMMETRIC_KEY", 10037),
    of(245, "ALTER_SYMMETRIC_KEY", 10037),
    of(246, "DROP_SYMMETRIC_KEY", 10037),
    of(247, "CREATE_ASYMMETRIC_KEY", 10038),
    of(248, "ALTER_ASYMMETRIC_KEY", 10038),
    of(249, "DROP_ASYMMETRIC_KEY", 10038),
    of(251, "ALTER_SERVICE_MASTER_KEY", 10010),
    of(252, "CREATE_MASTER_KEY", 10040),
    of(253, "ALTER_MASTER_KEY", 10040),
    of(254, "DROP_MASTER_KEY", 10040),
    of(255, "ADD_SIGNATURE_SCHEMA_OBJECT", 10039),
    of(256, "DROP_SIGNATURE_SCHEMA_OBJECT", 10039),
    of(257, "ADD_SIGNATURE", 10039),
    of(258, "DROP_SIGNATURE", 10039),
    of(259, "CREATE_CREDENTIAL", 10009),
    of(260, "ALTER_CREDENTIAL", 10009),
    of(261, "DROP_CREDENTIAL", 10009),
    of(262, "DROP_LINKED_SERVER", 10012),
    of(263, "ALTER_LINKED_SERVER", 10012),
    of(264, "CREATE_EVENT_SESSION", 10057),
    of(265, "ALTER_EVENT_SESSION", 10057),
    of(266, "DROP_EVENT_SESSION", 10057),
    of(267, "CREATE_RESOURCE_POOL", 10059),
    of(268, "ALTER_RESOURCE_POOL", 10059),
    of(269, "DROP_RESOURCE_POOL", 10059),
    of(270, "CREATE_WORKLOAD_GROUP", 10060),
    of(271, "ALTER_WORKLOAD_GROUP", 10060),
    of(272, "DROP_WORKLOAD_GROUP", 10060),
    of(273, "ALTER_RESOURCE_GOVERNOR_CONFIG", 10058),
    of(274, "CREATE_SPATIAL_INDEX", 10020),
    of(275, "CREATE_CRYPTOGRAPHIC_PROVIDER", 10061),
    of(276, "ALTER_CRYPTOGRAPHIC_PROVIDER", 10061),
    of(277, "DROP_CRYPTOGRAPHIC_PROVIDER", 10061),
    of(278, "CREATE_DATABASE_ENCRYPTION_KEY", 10062),
    of(279, "ALTER_DATABASE_ENCRYPTION_KEY", 10062),
    of(280, "DROP_DATABASE_ENCRYPTION_KEY", 10062),
    of(281, "CREATE_BROKER_PRIORITY", 10063),
    of(282, "ALTER_BROKER_PRIORITY", 10063),
    of(283, "DROP_BROKER_PRIORITY", 10063),
    of(284, "CREATE_SERVER_AUDIT", 10064),
    of(285, "ALTER_SERVER_AUDIT", 10064),
    of(286, "DROP_SERVER_AUDIT", 10064),
    of(287, "CREATE_SERVER_AUDIT_SPECIFICATION", 10065),
    of(288, "ALTER_SERVER_AUDIT_SPECIFICATION", 10065),
    of(289, "DROP_SERVER_AUDIT_SPECIFICATION", 10065),
    of(290, "CREATE_DATABASE_AUDIT_SPECIFICATION", 10066),
    of(291, "ALTER_DATABASE_AUDIT_SPECIFICATION", 10066),
    of(292, "DROP_DATABASE_AUDIT_SPECIFICATION", 10066),
    of(293, "CREATE_FULLTEXT_STOPLIST", 10067),
    of(294, "ALTER_FULLTEXT_STOPLIST", 10067),
    of(295, "DROP_FULLTEXT_STOPLIST", 10067),
    of(296, "ALTER_SERVER_CONFIGURATION", 0),
    of(297, "CREATE_SEARCH_PROPERTY_LIST", 10069),
    of(298, "ALTER_SEARCH_PROPERTY_LIST", 10069),
    of(299, "DROP_SEARCH_PROPERTY_LIST", 10069),
    of(300, "CREATE_SERVER_ROLE", 10005),
    of(301, "ALTER_SERVER_ROLE", 10005),
    of(302, "DROP_SERVER_ROLE", 10005),
    of(303, "CREATE_SEQUENCE", 10070),
    of(304, "ALTER_SEQUENCE", 10070),
    of(305, "DROP_SEQUENCE", 10070),
    of(306, "CREATE_AVAILABILITY_GROUP", 10071),
    of(307, "ALTER_AVAILABILITY_GROUP", 10071),
    of(308, "DROP_AVAILABILITY_GROUP", 10071),
    of(10001, "DDL_EVENTS", 0),
    of(10002, "DDL_SERVER_LEVEL_EVENTS", 10001),
    of(10003, "DDL_ENDPOINT_EVENTS", 10002),
    of(10004, "DDL_DATABASE_EVENTS", 10002),
    of(10005, "DDL_SERVER_SECURITY_EVENTS", 10002),
    of(10006, "DDL_LOGIN_EVENTS", 10005),
    of(10007, "DDL_GDR_SERVER_EVENTS", 10005),
    of(10008, "DDL_AUTHORIZATION_SERVER_EVENTS", 10005),
    of(10009, "DDL_CREDENTIAL_EVENTS", 10005),
    of(10010, "DDL_SERVICE_MASTER_KEY_EVENTS", 10005),
    of(10011, "DDL_EXTENDED_PROCEDURE_EVENTS", 10002),
    of(10012, "DDL_LINKED_SERVER_EVENTS", 10002),
    of(10013, "DDL_LINKED_SERVER_LOGIN_EVENTS", 10012),
    of(10014, "DDL_MESSAGE_EVENTS", 10002),
    of(10015, "DDL_REMOTE_SERVER_EVENTS", 10002),
    of(10016, "DDL_DATABASE_LEVEL_EVENTS", 10001),
    of(10017, "DDL_TABLE_VIEW_EVENTS", 10016),
    of(10018, "DDL_TABLE_EVENTS", 10017),
    of(10019, "DDL_VIEW_EVENTS", 10017),
    of(10020, "DDL_INDEX_EVENTS", 10017),
    of(10021, "DDL_STATISTICS_EVENTS", 10017),
    of(10022, "DDL_SYNONYM_EVENTS", 10016),
    of(10023, "DDL_FUNCTION_EVENTS", 10016),
    of(10024, "DDL_PROCEDURE_EVENTS", 10016),
    of(10025, "DDL_TRIGGER_EVENTS", 10016),
    of(10026, "DDL_EVENT_NOTIFICATION_EVENTS", 10016),
    of(10027, "DDL_ASSEMBLY_EVENTS", 10016),
    of(10028, "DDL_TYPE_EVENTS", 10016),
    of(10029, "DDL_DATABASE_SECURITY_EVENTS", 10016),
    of(10030, "DDL_CERTIFICATE_EVENTS", 10029),
    of(10031, "DDL_USER_EVENTS", 10029),
    of(10032, "DDL_ROLE_EVENTS", 10029),
    of(10033, "DDL_APPLICATION_ROLE_EVENTS", 10029),
    of(10034, "DDL_SCHEMA_EVENTS", 10029),
    of(10035, "DDL_GDR_DATABASE_EVENTS", 10029),
    of(10036, "DDL_AUTHORIZATION_DATABASE_EVENTS", 10029),
    of(10037, "DDL_SYMMETRIC_KEY_EVENTS", 10029),
    of(10038, "DDL_ASYMMETRIC_KEY_EVENTS", 10029),
    of(10039, "DDL_CRYPTO_SIGNATURE_EVENTS", 10029),
    of(10040, "DDL_MASTER_KEY_EVENTS", 10029),
    of(10041, "DDL_SSB_EVENTS", 10016),
    of(10042, "DDL_MESSAGE_TYPE_EVENTS", 10041),
    of(10043, "DDL_CONTRACT_EVENTS", 10041),
    of(10044, "DDL_QUEUE_EVENTS", 10041),
    of(10045, "DDL_SERVICE_EVENTS", 10041),
    of(10046, "DDL_ROUTE_EVENTS", 10041),
    of(10047, "DDL_REMOTE_SERVICE_BINDING_EVENTS", 10041),
    of(10048, "DDL_XML_SCHEMA_COLLECTION_EVENTS", 10016),
    of(10049, "DDL_PARTITION_EVENTS", 10016),
    of(10050, "DDL_PARTITION_FUNCTION_EVENTS", 10049),
    of(10051, "DDL_PARTITION_SCHEME_EVENTS", 10049),
    of(10052, "DDL_DEFAULT_EVENTS", 10016),
    of(10053, "DDL_EXTENDED_PROPERTY_EVENTS", 10016),
    of(10054, "DDL_FULLTEXT_CATALOG_EVENTS", 10016),
    of(10055, "DDL_PLAN_GUIDE_EVENTS", 10016),
    of(10056, "DDL_RULE_EVENTS", 10016),
    of(10057, "DDL_EVENT_SESSION_EVENTS", 10002),
    of(10058, "DDL_RESOURCE_GOVERNOR_EVENTS", 10002),
    of(10059, "DDL_RESOURCE_POOL", 10058),
    of(10060, "DDL_WORKLOAD_GROUP", 10058),
    of(10061, "DDL_CRYPTOGRAPHIC_PROVIDER_EVENTS", 10005),
    of(10062, "DDL_DATABASE_ENCRYPTION_KEY_EVENTS", 10029),
    of(10063, "DDL_BROKER_PRIORITY_EVENTS", 10041),
    of(10064, "DDL_SERVER_AUDIT_EVENTS", 10005),
    of(10065, "DDL_SERVER_AUDIT_SPECIFICATION_EVENTS", 10005),
    of(10066, "DDL_DATABASE_AUDIT_SPECIFICATION_EVENTS", 10029),
    of(10067, "DDL_FULLTEXT_STOPLIST_EVENTS", 10016),
    of(10069, "DDL_SEARCH_PROPERTY_LIST_EVENTS", 10016),
    of(10070, "DDL_SEQUENCE_EVENTS", 10016),
    of(10071, "DDL_AVAILABILITY_GROUP_EVENTS", 10002),
];

#[cfg(test)]
mod tests {
    use super::{EVENT_TYPES, by_name, by_number};

    #[test]
    fn numbers_ascend_and_every_group_is_there() {
        assert!(EVENT_TYPES.is_sorted_by(|a, b| a.number < b.number));
        let has_parent = |number| number == 0 || by_number(number).is_some_and(|e| e.is_group());
        assert!(EVENT_TYPES.iter().all(|e| has_parent(e.parent)));
    }

    #[test]
    fn a_group_stands_for_the_events_below_it() {
        let names = |group: &str| -> Vec<&str> {
            by_name(group).map_or(Vec::new(), |g| g.events().map(|e| e.name).collect())
        };
        assert_eq!(names("ddl_table_events"), ["CREATE_TABLE", "ALTER_TABLE", "DROP_TABLE"]);
        assert_eq!(names("DROP_TABLE"), ["DROP_TABLE"]);
        assert!(names("DDL_DATABASE_LEVEL_EVENTS").contains(&"RENAME"));
        assert!(!names("DDL_DATABASE_LEVEL_EVENTS").contains(&"CREATE_LOGIN"));
        assert!(by_name("CREATE_DATABASE").is_some_and(|e| !e.is_of_database()));
    }
}
