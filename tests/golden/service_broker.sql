-- Service Broker is not there: its views are, without rows, for scripts that empty a database.
--@ source: documentation sys.service_queues
SELECT q.name, s.name FROM sys.service_queues AS q INNER JOIN sys.schemas AS s ON s.schema_id = q.schema_id WHERE q.is_ms_shipped = 0
GO
--@ source: documentation sys.services
SELECT name FROM sys.services WHERE service_id >= 65536
GO
--@ source: documentation sys.service_contracts
SELECT name FROM sys.service_contracts WHERE service_contract_id >= 65536
SELECT name FROM sys.service_message_types WHERE message_type_id >= 65536
GO
--@ source: documentation sys.conversation_endpoints
SELECT conversation_handle, state_desc, far_service FROM sys.conversation_endpoints WHERE state <> 'CD'
SELECT COUNT(*) AS n FROM sys.transmission_queue
SELECT COUNT(*) AS n FROM sys.conversation_groups
SELECT COUNT(*) AS n FROM sys.conversation_priorities
GO
--@ source: documentation sys.routes
SELECT name, address FROM sys.routes
SELECT name FROM sys.remote_service_bindings
GO
--@ source: documentation sys.service_queue_usages
SELECT COUNT(*) AS n FROM sys.service_queue_usages
SELECT COUNT(*) AS n FROM sys.service_contract_usages
SELECT COUNT(*) AS n FROM sys.service_contract_message_usages
SELECT COUNT(*) AS n FROM sys.message_type_xml_schema_collection_usages
GO
--@ source: documentation sys.databases
SELECT name, is_broker_enabled FROM sys.databases WHERE database_id <= 2 ORDER BY database_id
GO
