//! `URL = 's3://host[:port]/bucket/key'`: objects of a store that speaks S3, and the credentials that they are asked with.
//!
//! The credential is the one that is named, or the one whose name is the longest beginning of the address up to a slash. A backup is one
//! object a device, as a whole: nothing is added to it, and FORMAT alone replaces one.

use super::options::Options;
use super::system;
use crate::catalog::credentials::{self, Credential};
use crate::instance_options::ObjectAddress;
use crate::media::Devices;
use crate::plan::text::apostrophes;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::backup::Device;
use taffrail_syntax::ast::{self, OptionValue};

/// UTF-16 code units of an address at most, as SQL Server has them.
const URL_MAX: usize = 259;
/// The IDENTITY of a credential for S3.
const IDENTITY: &str = "S3 Access Key";
/// Bytes of a part of an upload: at least, at most, and when nothing is said.
const PART_MIN: u32 = 5 << 20;
const PART_MAX: u32 = 20 << 20;
const PART: u32 = 10 << 20;
/// Parts of all objects of a backup that are under way at once, but each object has one.
const PARTS_AT_ONCE: usize = 4;
/// The region of a store that is not said to have one.
const REGION: &str = "us-east-1";

/// The error of an address that is none of S3's, or has no credential.
const NOT_SUPPORTED: &str = "50(The request is not supported.)";
const INVALID: &str = "87(The parameter is incorrect.)";

/// The devices of a statement, of which one is a URL at least.
pub(super) fn resolve(
    cx: &StatementContext<'_>,
    list: &[ast::Device],
    options: &Options,
) -> SqlResult<Devices> {
    if list.iter().any(|d| d.kind != ast::DeviceKind::Url) {
        return Err(unsupported("A backup on URLs and other devices at once"));
    }
    if options.overwrite && !options.format {
        return Err(SqlError::new(3032, &[&"init"]));
    }
    let part_bytes = options.max_transfer.unwrap_or(PART);
    if !(PART_MIN..=PART_MAX).contains(&part_bytes) {
        return Err(SqlError::new(3250, &[&part_bytes, &"MAXTRANSFERSIZE"]));
    }
    let Some(host) = cx.instance().host() else {
        return Err(unsupported("A URL without a server"));
    };
    let region = region(cx, options)?;
    let mut devices = Devices { list: Vec::new(), names: Vec::new(), logical: Vec::new() };
    for device in list {
        let OptionValue::Text(url) = &device.target else {
            return Err(unsupported("A URL that is no text"));
        };
        let cannot = |why: &str| SqlError::new(3201, &[url, &why]);
        if url.encode_utf16().count() > URL_MAX || url.contains(char::is_control) {
            return Err(cannot(INVALID));
        }
        let is_s3 = url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3://"));
        let credential = match is_s3 {
            true => credential(cx, url, options)?,
            false => None,
        };
        let Some(credential) = credential else { return Err(cannot(NOT_SUPPORTED)) };
        let sealed = credential.secret.as_deref();
        let sealed = sealed.filter(|_| credential.identity.eq_ignore_ascii_case(IDENTITY));
        let Some(sealed) = sealed else { return Err(cannot(NOT_SUPPORTED)) };
        let secret = host.unseal(sealed).map_err(|why| cannot(&format!("13({why}.)")))?;
        let Some((key_id, key)) = secret.split_once(':') else { return Err(cannot(INVALID)) };
        let object = host.object(ObjectAddress {
            url: url.to_string(),
            key_id: key_id.into(),
            key: key.into(),
            region: region.clone(),
            part_bytes: part_bytes as usize,
            parts_at_once: (PARTS_AT_ONCE / list.len()).max(1),
            cancel: cx.session.running.cancel.clone(),
        });
        let object = object.map_err(|e| cannot(&e.system_error()))?;
        devices.list.push(Device::Object(object));
        devices.names.push(url.to_string());
        devices.logical.push(None);
    }
    Ok(devices)
}

/// The credential that is named, 15151, or the one for the address, if there is one.
fn credential(
    cx: &StatementContext<'_>,
    url: &str,
    options: &Options,
) -> SqlResult<Option<Credential>> {
    let master = cx.instance().databases().master()?;
    let Some(name) = &options.credential else {
        return credentials::for_address(&master.storage, url);
    };
    match credentials::find(&master.storage, name)? {
        None => Err(SqlError::new(15151, &[&"find", &"credential", name])),
        found => Ok(found),
    }
}

/// The region that the options say: `{"s3": {"region": "…"}}`.
fn region(cx: &StatementContext<'_>, options: &Options) -> SqlResult<String> {
    let Some(json) = &options.remote else { return Ok(REGION.into()) };
    let read = format!("SELECT JSON_VALUE(N{}, N'$.s3.region')", apostrophes(json));
    let rows = system::run(cx.instance(), "msdb", &[&read])?;
    let region = rows.first().and_then(|row| row.first()?.as_text());
    Ok(region.filter(|r| !r.is_empty()).unwrap_or_else(|| REGION.into()))
}
