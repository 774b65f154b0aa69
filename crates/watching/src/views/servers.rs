//! sys.servers and sysservers: there are no linked servers, so this one alone. sys.time_zone_info.

use super::cell::{Columns, IntoCell, no, null, yes};
use super::objects::system_date;
use super::{Declaration, Reach, ViewContext, by_column};
use crate::features::needs;
use taffrail_types::Value;

/// The server itself.
struct Own {
    name: String,
    created: Value,
}

const SERVERS: Columns<Own> = &[&[
    ("server_id int!", |_| 0_i32.cell()),
    ("name sysname!", |s| (&s.name).cell()),
    ("product sysname!", |_| "SQL Server".cell()),
    ("provider sysname!", |_| "SQLNCLI".cell()),
    ("data_source nvarchar(4000)?", |s| (&s.name).cell()),
    ("location nvarchar(4000)?", null),
    ("provider_string nvarchar(4000)?", null),
    ("catalog sysname?", null),
    ("connect_timeout int?", |_| 0_i32.cell()),
    ("query_timeout int?", |_| 0_i32.cell()),
    ("is_linked bit!", no),
    ("is_remote_login_enabled bit!", yes),
    ("is_rpc_out_enabled bit!", yes),
    ("is_data_access_enabled bit!", no),
    ("is_collation_compatible bit!", no),
    ("uses_remote_collation bit!", yes),
    ("collation_name sysname?", null),
    ("lazy_schema_validation bit!", no),
    ("is_system bit!", no),
    ("is_publisher bit!", no),
    ("is_subscriber bit?", no),
    ("is_distributor bit?", no),
    ("is_nonsql_subscriber bit?", no),
    ("is_remote_proc_transaction_promotion_enabled bit?", no),
    ("modify_date datetime!", |s| s.created.clone().cell()),
    ("is_rda_server bit?", no),
]];

/// The same server as SQL Server 2000 told of it.
const OLD_SERVERS: Columns<Own> = &[&[
    ("srvid smallint?", |_| 0_i32.cell()),
    ("srvstatus smallint?", |_| 0_i32.cell()),
    ("srvname sysname!", |s| (&s.name).cell()),
    ("srvproduct sysname!", |_| "SQL Server".cell()),
    ("providername nvarchar(128)!", |_| "SQLNCLI".cell()),
    ("datasource nvarchar(4000)?", |s| (&s.name).cell()),
    ("location nvarchar(4000)?", null),
    ("providerstring nvarchar(4000)?", null),
    ("schemadate datetime!", |s| s.created.clone().cell()),
    ("topologyx int?", |_| 0_i32.cell()),
    ("topologyy int?", |_| 0_i32.cell()),
    ("catalog sysname?", null),
    ("srvcollation sysname?", null),
    ("connecttimeout int?", |_| 0_i32.cell()),
    ("querytimeout int?", |_| 0_i32.cell()),
    ("srvnetname char(30)?", |s| (&s.name).cell()),
    ("isremote bit?", yes),
    ("rpc bit!", yes),
    ("pub bit!", no),
    ("sub bit?", no),
    ("dist bit?", no),
    ("dpub bit?", no),
    ("rpcout bit!", yes),
    ("dataaccess bit!", no),
    ("collationcompatible bit!", no),
    ("system bit!", no),
    ("useremotecollation bit!", yes),
    ("lazyschemavalidation bit!", no),
    ("collation sysname?", null),
    ("nonsqlsub bit?", no),
]];

/// A time zone at this moment.
struct ZoneNow {
    name: &'static str,
    offset: i16,
    is_summer: bool,
}

const TIME_ZONES: Columns<ZoneNow> = &[&[
    ("name sysname!", |z| z.name.cell()),
    ("current_utc_offset nvarchar(12)!", |z| {
        let (sign, minutes) = (if z.offset < 0 { '-' } else { '+' }, z.offset.unsigned_abs());
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60).cell()
    }),
    ("is_currently_dst bit!", |z| z.is_summer.cell()),
]];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(by_column("time_zone_info", needs::PUBLIC, TIME_ZONES, |cx, _, rows| {
        let now = cx.session.instance.options().env.clock.now_utc();
        for zone in crate::functions::zone::zones() {
            let (offset, is_summer) = zone.at(now.0)?;
            rows.show(TIME_ZONES, &ZoneNow { name: zone.name, offset, is_summer });
        }
        Ok(())
    }));
    views.push(by_column("servers", needs::SERVERS_SEEN, SERVERS, |cx, _, rows| {
        rows.show(SERVERS, &own(cx));
        Ok(())
    }));
    views.push(
        by_column("sysservers", needs::SERVERS_SEEN, OLD_SERVERS, |cx, _, rows| {
            rows.show(OLD_SERVERS, &own(cx));
            Ok(())
        })
        .reached(Reach::Bare),
    );
}

fn own(cx: &ViewContext<'_>) -> Own {
    let name = cx.session.instance.options().server_name.clone();
    Own { name, created: system_date(cx) }
}
