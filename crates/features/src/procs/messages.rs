//! Messages of users' own: sp_addmessage, sp_altermessage, sp_dropmessage.

use crate::catalog::messages::{AllMessages, ENGLISH, UserMessage};
use crate::features::procedure::Arguments;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::datetime::LanguageId;

/// The greatest number that is no user's message.
const LAST_OF_SYSTEM: i64 = 50_000;
/// The characters that a message's text is cut to.
const LONGEST: usize = 255;

/// A language as a message is kept in it: `language_id`, and its name.
fn language(cx: &StatementContext<'_>, name: Option<&str>) -> SqlResult<(i32, &'static str)> {
    let Some(name) = name else {
        let own = cx.session.activation.options.language.get();
        return Ok((own.message_lcid, own.name));
    };
    let found = LanguageId::of_name(name).ok_or_else(|| SqlError::new(15033, &[&name]))?.get();
    Ok((found.message_lcid, found.name))
}

/// A text argument that is `true` or `false`: 15271.
fn truth(text: &str) -> SqlResult<bool> {
    match &*text.to_ascii_lowercase() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(SqlError::new(15271, &[])),
    }
}

fn change(
    cx: &StatementContext<'_>,
    change: impl FnOnce(&mut AllMessages) -> SqlResult<()>,
) -> SqlResult<()> {
    let databases = cx.instance().databases();
    databases.messages().change(&databases.master()?.storage, change)
}

/// `sp_addmessage @msgnum, @severity, @msgtext, @lang, @with_log, @replace`.
pub(super) fn add(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let (Some(number), Some(severity), Some(text)) = (args.number(0), args.number(1), args.text(2))
    else {
        return Err(SqlError::new(15071, &[]));
    };
    let number = i32::try_from(number).ok().filter(|n| i64::from(*n) > LAST_OF_SYSTEM);
    let number = number.ok_or_else(|| SqlError::new(15040, &[]))?;
    let severity = u8::try_from(severity).ok().filter(|s| (1..=25).contains(s));
    let severity = severity.ok_or_else(|| SqlError::new(15041, &[]))?;
    let with_log = args.text(4).map(|t| truth(&t)).transpose()?;
    let (language, name) = language(cx, args.text(3).as_deref())?;
    let replace = match args.text(5) {
        None => false,
        Some(word) if word.eq_ignore_ascii_case("replace") => true,
        Some(_) => return Err(SqlError::new(15043, &[])),
    };
    let text: String = text.chars().take(LONGEST).collect();
    change(cx, |all| {
        let english = all.get(&(number, ENGLISH)).cloned();
        if language != ENGLISH {
            let english = english.as_ref().ok_or_else(|| SqlError::new(15279, &[&name]))?;
            if english.severity != severity {
                return Err(SqlError::new(15304, &[&name, &english.severity]));
            }
        }
        if all.contains_key(&(number, language)) && !replace {
            return Err(SqlError::new(15043, &[]));
        }
        let is_logged = match language {
            ENGLISH => with_log.unwrap_or(false),
            _ => english.is_some_and(|e| e.is_logged),
        };
        all.insert((number, language), UserMessage { severity, is_logged, text });
        // The English one decides for those in other languages.
        if language == ENGLISH {
            for (_, m) in all.range_mut((number, 0)..=(number, i32::MAX)) {
                (m.severity, m.is_logged) = (severity, is_logged);
            }
        }
        Ok(())
    })?;
    if language != ENGLISH && with_log.is_some() {
        cx.message(SqlError::new(15042, &[]))?;
    }
    Ok(0)
}

/// `sp_altermessage @message_id, @parameter, @parameter_value`: whether a message always goes to the log.
pub(super) fn alter(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let id = args.number(0);
    let invalid = || SqlError::new(15600, &[&"sys.sp_altermessage"]);
    let number = id.and_then(|n| i32::try_from(n).ok()).ok_or_else(invalid)?;
    if args.text(1).is_some_and(|p| !p.eq_ignore_ascii_case("WITH_LOG")) {
        return Err(invalid());
    }
    let is_logged = truth(&args.text(2).unwrap_or_default())?;
    if i64::from(number) <= LAST_OF_SYSTEM {
        return match taffrail_base::message::find(number) {
            Some(_) => Err(SqlError::new(40510, &[&"sp_altermessage of a system message"])),
            None => Err(SqlError::new(15179, &[&number])),
        };
    }
    change(cx, |all| {
        if !all.contains_key(&(number, ENGLISH)) {
            return Err(SqlError::new(15179, &[&number]));
        }
        for (_, m) in all.range_mut((number, 0)..=(number, i32::MAX)) {
            m.is_logged = is_logged;
        }
        Ok(())
    })?;
    Ok(0)
}

/// `sp_dropmessage @msgnum, @lang`: of all languages with `all`.
pub(super) fn drop(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let number = args.number(0).filter(|n| *n > LAST_OF_SYSTEM);
    let number = number.ok_or_else(|| SqlError::new(15178, &[]))?;
    let missing = || SqlError::new(15179, &[&number]);
    let id = i32::try_from(number).map_err(|_| missing())?;
    let name = args.text(1);
    if name.as_deref().is_some_and(|n| n.eq_ignore_ascii_case("all")) {
        change(cx, |all| {
            let before = all.len();
            all.retain(|(n, _), _| *n != id);
            if all.len() == before { Err(missing()) } else { Ok(()) }
        })?;
        return Ok(0);
    }
    let (language, _) = language(cx, name.as_deref())?;
    change(cx, |all| {
        if !all.contains_key(&(id, language)) {
            return Err(missing());
        }
        if language == ENGLISH && all.range((id, 0)..=(id, i32::MAX)).count() > 1 {
            return Err(SqlError::new(15280, &[]));
        }
        all.remove(&(id, language));
        Ok(())
    })?;
    Ok(0)
}
