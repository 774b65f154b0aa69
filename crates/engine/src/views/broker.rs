//! Views of Service Broker, which this server has none of: each is there with SQL Server's columns and without rows, since scripts that
//! empty a database ask whether it has queues.

use super::absent::none;
use super::objects::OBJECT;
use super::{Declaration, sys};

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("service_queues", &[OBJECT, QUEUE], none),
        sys("services", &[SERVICE], none),
        sys("service_queue_usages", &["service_id int! · service_queue_id int!"], none),
        sys(
            "service_contracts",
            &["name sysname! · service_contract_id int! · principal_id int?"],
            none,
        ),
        sys("service_contract_usages", &["service_id int! · service_contract_id int!"], none),
        sys("service_contract_message_usages", &[CONTRACT_MESSAGE], none),
        sys("service_message_types", &[MESSAGE_TYPE], none),
        sys("message_type_xml_schema_collection_usages", &[MESSAGE_SCHEMA], none),
        sys("routes", &[ROUTE], none),
        sys("remote_service_bindings", &[BINDING], none),
        sys("conversation_priorities", &[PRIORITY], none),
        sys("conversation_groups", &[GROUP], none),
        sys("conversation_endpoints", &[ENDPOINT, SEQUENCES], none),
        sys("transmission_queue", &[TRANSMISSION], none),
    ]);
}

const QUEUE: &str = "\
    max_readers smallint? · activation_procedure nvarchar(776)? · execute_as_principal_id int? · \
    is_activation_enabled bit! · is_receive_enabled bit! · is_enqueue_enabled bit! · is_retention_enabled bit! · \
    is_poison_message_handling_enabled bit?";

const SERVICE: &str = "name sysname! · service_id int! · principal_id int? · service_queue_id int!";

const CONTRACT_MESSAGE: &str = "\
    service_contract_id int! · message_type_id int! · is_sent_by_initiator bit! · is_sent_by_target bit!";

const MESSAGE_TYPE: &str = "\
    name sysname! · message_type_id int! · principal_id int? · validation char(2)! · \
    validation_desc nvarchar(60)? · xml_collection_id int?";

const MESSAGE_SCHEMA: &str = "message_type_id int! · xml_collection_id int!";

const ROUTE: &str = "\
    name sysname! · route_id int! · principal_id int? · remote_service_name nvarchar(256)? · \
    broker_instance nvarchar(128)? · lifetime datetime? · address nvarchar(256)? · mirror_address nvarchar(256)?";

const BINDING: &str = "\
    name sysname! · remote_service_binding_id int! · principal_id int? · remote_service_name nvarchar(256)? · \
    service_contract_id int! · remote_principal_id int? · is_anonymous_on bit!";

const PRIORITY: &str = "\
    priority_id int! · name sysname! · service_contract_id int? · local_service_id int? · \
    remote_service_name nvarchar(256)? · priority tinyint!";

const GROUP: &str = "conversation_group_id uniqueidentifier! · service_id int! · is_system bit?";

const ENDPOINT: &str = "\
    conversation_handle uniqueidentifier! · conversation_id uniqueidentifier! · is_initiator bit! · \
    service_contract_id int! · conversation_group_id uniqueidentifier! · service_id int! · lifetime datetime! · \
    state char(2)! · state_desc nvarchar(60)? · far_service nvarchar(256)! · far_broker_instance nvarchar(128)? · \
    principal_id int! · far_principal_id int! · outbound_session_key_identifier uniqueidentifier! · \
    inbound_session_key_identifier uniqueidentifier! · security_timestamp datetime! · dialog_timer datetime!";

const SEQUENCES: &str = "\
    send_sequence bigint! · last_send_tran_id binary(6)! · end_dialog_sequence bigint! · receive_sequence bigint! · \
    receive_sequence_frag int! · system_sequence bigint! · first_out_of_order_sequence bigint! · \
    last_out_of_order_sequence bigint! · last_out_of_order_frag int! · is_system bit! · priority tinyint!";

const TRANSMISSION: &str = "\
    conversation_handle uniqueidentifier! · to_service_name nvarchar(256)? · to_broker_instance nvarchar(128)? · \
    from_service_name nvarchar(256)? · service_contract_name nvarchar(256)? · enqueue_time datetime! · \
    message_sequence_number bigint! · message_type_name nvarchar(256)? · is_conversation_error bit! · \
    is_end_of_dialog bit! · message_body varbinary(max)? · transmission_status nvarchar(4000)? · priority tinyint!";
