//! A second decision, much simpler, against which the first is held over generated cases: each grantee says yes, no or nothing by
//! itself, and one no outweighs every yes.
#![cfg(test)]

use super::{
    HeldPermission, PERMISSIONS, Permission, PermissionId, Rights, SecurableAt, SecurableClass,
    Standing, code, known,
};

/// Whether holding one permission implies holding another one, by their names.
fn implies(held: &Permission, wanted: &Permission) -> bool {
    let same = (held.class, held.name) == (wanted.class, wanted.name);
    let step = |class: Option<SecurableClass>, name: &str| {
        let next = PERMISSIONS.iter().find(|p| Some(p.class) == class && p.name == name);
        next.is_some_and(|next| implies(held, next))
    };
    let reads_all = held.name == "SELECT ALL USER SECURABLES" && wanted.name == "SELECT";
    same || reads_all
        || step(Some(wanted.class), wanted.covering)
        || step(wanted.class.parent(), wanted.parent)
}

/// A world: one database with two schemas, three objects of four columns and its server.
struct World {
    rows: Vec<HeldPermission>,
    identities: Vec<i32>,
    server: Vec<i32>,
}

fn row_permission(row: &HeldPermission) -> &'static Permission {
    let is = |p: &&Permission| p.class.number() == row.class && code(p.code) == row.code;
    PERMISSIONS.iter().find(is).unwrap()
}

/// The answer that the model gives.
fn answer(world: &World, at: &SecurableAt, wanted: &Permission, column: i32) -> bool {
    if at.owner.is_some_and(|o| world.identities.contains(&o)) {
        return true;
    }
    let owns_schema = at.schema.is_some_and(|(_, o)| world.identities.contains(&o));
    let mut yes = owns_schema;
    let grantees = world.identities.iter().map(|g| (*g, false));
    for (grantee, server) in grantees.chain(world.server.iter().map(|g| (*g, true))) {
        let of = |class: u8, major: i32, minor: i32| {
            let its = world.rows.iter().filter(move |r| {
                (r.class >= 100) == server
                    && (r.grantee, r.class, r.major, r.minor) == (grantee, class, major, minor)
            });
            let its: Vec<Standing> =
                its.filter(|r| implies(row_permission(r), wanted)).map(|r| r.standing).collect();
            its
        };
        let on_column = if column > 0 { of(at.class.number(), at.id, column) } else { Vec::new() };
        let mut said = on_column.clone();
        if on_column.is_empty() {
            said.extend(of(at.class.number(), at.id, 0));
        }
        if !owns_schema {
            let mut above = Vec::new();
            if let Some((schema, _)) = at.schema {
                above.extend(of(3, schema, 0));
            }
            if at.class != SecurableClass::Database {
                above.extend(of(0, 0, 0));
            }
            above.extend(of(100, 0, 0));
            // A column's own row takes away what the same grantee has further up, and never what is denied there.
            above.retain(|s| on_column.is_empty() || *s == Standing::Denied);
            said.extend(above);
        }
        if said.contains(&Standing::Denied) {
            return false;
        }
        yes |= said.iter().any(|s| matches!(s, Standing::Granted | Standing::WithGrantOption));
    }
    yes
}

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const OBJECT_PERMISSIONS: [&str; 7] =
    ["SELECT", "UPDATE", "REFERENCES", "INSERT", "EXECUTE", "ALTER", "CONTROL"];
const SCHEMA_PERMISSIONS: [&str; 6] =
    ["SELECT", "UPDATE", "REFERENCES", "VIEW DEFINITION", "ALTER", "CONTROL"];
const DATABASE_PERMISSIONS: [&str; 7] =
    ["SELECT", "UPDATE", "REFERENCES", "EXECUTE", "ALTER ANY SCHEMA", "VIEW DEFINITION", "CONTROL"];
const SERVER_PERMISSIONS: [&str; 3] =
    ["SELECT ALL USER SECURABLES", "VIEW ANY DEFINITION", "CONTROL SERVER"];

fn world(dice: &mut Dice) -> World {
    let mut rows: Vec<HeldPermission> = Vec::new();
    for _ in 0..dice.below(9) {
        let (class, major) =
            dice.one_of(&[(1, 11), (1, 11), (1, 11), (1, 12), (3, 5), (3, 6), (0, 0), (100, 0)]);
        let column = class == 1 && dice.below(2) == 0;
        let (of, name) = match class {
            1 if column => (SecurableClass::Object, dice.one_of(&OBJECT_PERMISSIONS[..3])),
            1 => (SecurableClass::Object, dice.one_of(&OBJECT_PERMISSIONS)),
            3 => (SecurableClass::Schema, dice.one_of(&SCHEMA_PERMISSIONS)),
            0 => (SecurableClass::Database, dice.one_of(&DATABASE_PERMISSIONS)),
            _ => (SecurableClass::Server, dice.one_of(&SERVER_PERMISSIONS)),
        };
        let minor = if column { 1 + dice.below(3) as i32 } else { 0 };
        let code = code(known(of, name).permission().code);
        let mut standings =
            vec![Standing::Granted, Standing::Granted, Standing::WithGrantOption, Standing::Denied];
        if column {
            standings.push(Standing::Revoked);
        }
        let standing = dice.one_of(&standings);
        let grantee = dice.one_of(&[0, 307, 308, 309]);
        let key = |r: &HeldPermission| (r.class, r.major, r.minor, r.grantee, r.code);
        let row = HeldPermission { class, major, minor, grantee, code, standing };
        if !rows.iter().any(|r| key(r) == key(&row)) {
            rows.push(row);
        }
    }
    // Numbers of no fixed role: the model knows none.
    let identities =
        dice.one_of(&[&[0, 307][..], &[0, 307, 308], &[0, 309], &[0, 307, 308, 309]]).to_vec();
    let server = dice.one_of(&[&[][..], &[307], &[0, 308]]).to_vec();
    World { rows, identities, server }
}

#[test]
fn two_decisions_agree_over_generated_cases() {
    let mut dice = Dice(20_251_130);
    let (mut cases, mut allowed) = (0, 0);
    for _ in 0..4_000 {
        let world = world(&mut dice);
        let rights = Rights::new(
            false,
            world.identities.clone(),
            world.server.clone(),
            world.rows.iter().copied(),
        );
        for (object, schema, owner) in [(11, (5, 1), 1), (12, (6, 1), 308), (13, (5, 309), 1)] {
            let at = SecurableAt {
                class: SecurableClass::Object,
                id: object,
                owner: Some(owner),
                schema: Some(schema),
            };
            for name in OBJECT_PERMISSIONS {
                let id: PermissionId = known(SecurableClass::Object, name);
                let of = |column: i32| answer(&world, &at, id.permission(), column);
                assert_eq!(rights.may(&at, id), of(0), "{name} on {object}: {:?}", world.rows);
                cases += 1;
                for column in 1..4 {
                    let may = rights.may_column(&at, id, column);
                    let rows = &world.rows;
                    assert_eq!(may, of(column), "{name} ({column}) on {object}: {rows:?}");
                    cases += 1;
                    allowed += usize::from(may);
                }
            }
        }
        for (at, class) in [
            (SecurableAt::schema(5, 1), SecurableClass::Schema),
            (SecurableAt::DATABASE, SecurableClass::Database),
        ] {
            for id in PermissionId::of_class(class) {
                let expected = answer(&world, &at, id.permission(), 0);
                assert_eq!(rights.may(&at, id), expected, "{} {:?}", id.permission().name, at);
                cases += 1;
            }
        }
    }
    assert!(cases > 500_000 && allowed > 20_000, "{cases} cases, {allowed} allowed");
}

#[test]
fn columns_are_refused_one_by_one_or_as_a_whole() {
    use super::ColumnsRefused;
    let select = known(SecurableClass::Object, "SELECT");
    let letters = code("SL");
    let row = |minor: i32, standing: Standing| HeldPermission {
        class: 1,
        major: 11,
        minor,
        grantee: 7,
        code: letters,
        standing,
    };
    let (owner, schema) = (Some(1), Some((5, 1)));
    let at = SecurableAt { class: SecurableClass::Object, id: 11, owner, schema };
    let of = |rows: &[HeldPermission], columns: &[i32]| {
        let rights = Rights::new(false, vec![0, 7], vec![], rows.iter().copied());
        rights.columns(&at, select, columns.iter().copied())
    };
    let (granted, denied, revoked) = (Standing::Granted, Standing::Denied, Standing::Revoked);
    assert_eq!(of(&[], &[1]), Err(ColumnsRefused::Everything));
    assert_eq!(of(&[row(0, granted)], &[1, 2]), Ok(()));
    assert_eq!(of(&[row(1, granted)], &[1]), Ok(()));
    assert_eq!(of(&[row(1, granted)], &[1, 2, 3]), Err(ColumnsRefused::Some(vec![2, 3])));
    assert_eq!(of(&[row(0, denied), row(1, granted)], &[1]), Ok(()));
    let all_but_two = [row(0, granted), row(2, revoked)];
    assert_eq!(of(&all_but_two, &[1]), Ok(()));
    assert_eq!(of(&all_but_two, &[1, 2]), Err(ColumnsRefused::Some(vec![2])));
    assert_eq!(of(&[row(0, denied)], &[1]), Err(ColumnsRefused::Everything));
}
