//! Permits for work that takes much memory and time: the verification of passwords.
//!
//! 1. At most so many permits are out at once, and one more for the admin listener, which nobody else takes.
//! 2. No address has all of them: whoever comes from another finds one, however many come from the first.
//! 3. A permit that is given back goes to the address that has fewest, and of that to whoever has waited longest there.

use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// Whose work it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Origin {
    /// A connection of the admin listener.
    Admin,
    /// A connection of everybody's listener, by address: of IPv6, by network.
    Address(IpAddr),
    /// The server itself, and its console.
    Server,
}

impl Origin {
    /// The origin of a client's address.
    pub(crate) fn of(address: IpAddr) -> Origin {
        Origin::Address(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
            v4 => v4,
        })
    }
}

/// Somebody who waits for a permit.
struct Waiting {
    origin: Origin,
    granted: Mutex<bool>,
    comes: Condvar,
}

#[derive(Default)]
struct State {
    /// Permits that are out, by whose they are.
    out: HashMap<Origin, usize>,
    /// The one that has waited longest first.
    waiting: Vec<Arc<Waiting>>,
}

/// See the module.
pub(crate) struct Permits {
    most: usize,
    state: Mutex<State>,
}

/// The right to work until it goes.
pub(crate) struct Permit<'a> {
    of: &'a Permits,
    origin: Origin,
}

impl Permits {
    /// So many at once, two at least.
    pub(crate) fn new(most: usize) -> Permits {
        Permits { most: most.max(2), state: Mutex::default() }
    }

    /// Waits for a permit.
    pub(crate) fn take(&self, origin: Origin) -> Permit<'_> {
        let waiting = {
            let mut state = self.state.lock();
            // Whoever waits already goes first: nobody waits who could have one.
            if state.has_room(origin, self.most) {
                *state.out.entry(origin).or_default() += 1;
                return Permit { of: self, origin };
            }
            let waiting =
                Arc::new(Waiting { origin, granted: Mutex::new(false), comes: Condvar::new() });
            state.waiting.push(waiting.clone());
            waiting
        };
        let mut granted = waiting.granted.lock();
        while !*granted {
            waiting.comes.wait(&mut granted);
        }
        Permit { of: self, origin }
    }
}

impl State {
    fn out(&self, origin: Origin) -> usize {
        self.out.get(&origin).copied().unwrap_or(0)
    }

    /// Whether one more may have a permit.
    fn has_room(&self, origin: Origin, most: usize) -> bool {
        match origin {
            Origin::Admin => self.out(origin) == 0,
            _ => {
                let all: usize = self.out.values().sum();
                all - self.out(Origin::Admin) < most && self.out(origin) < most - 1
            }
        }
    }

    /// Takes the next of those who wait and may have a permit.
    fn next(&mut self, most: usize) -> Option<Arc<Waiting>> {
        let may = |w: &&Arc<Waiting>| self.has_room(w.origin, most);
        let first = self.waiting.iter().filter(may).min_by_key(|w| self.out(w.origin))?.clone();
        self.waiting.retain(|w| !Arc::ptr_eq(w, &first));
        Some(first)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.of.state.lock();
        if let Some(out) = state.out.get_mut(&self.origin) {
            *out -= 1;
            if *out == 0 {
                state.out.remove(&self.origin);
            }
        }
        while let Some(next) = state.next(self.of.most) {
            *state.out.entry(next.origin).or_default() += 1;
            *next.granted.lock() = true;
            next.comes.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    fn address(last: u8) -> Origin {
        Origin::of(IpAddr::from([10, 0, 0, last]))
    }

    /// Comes for a permit on a thread of its own, says when it has one, and gives it back when told.
    fn come(all: &'static Permits, origin: Origin) -> (Receiver<()>, std::sync::mpsc::Sender<()>) {
        let (has, told) = channel();
        let (give, back) = channel::<()>();
        let here = || {
            let state = all.state.lock();
            state.waiting.len() + state.out.values().sum::<usize>()
        };
        let before = here();
        std::thread::spawn(move || {
            let permit = all.take(origin);
            let _ = has.send(());
            let _ = back.recv();
            drop(permit);
        });
        // They come one after the other.
        while here() == before {
            std::thread::yield_now();
        }
        (told, give)
    }

    fn leaked(most: usize) -> &'static Permits {
        Box::leak(Box::new(Permits::new(most)))
    }

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn a_flood_takes_no_permit_of_others() {
        let all = leaked(4);
        let flood: Vec<_> = (0..20).map(|_| come(all, address(1))).collect();
        assert_eq!(all.state.lock().out(address(1)), 3);
        // Another address, and the admin listener from the very same one.
        let other = come(all, address(2));
        let admin = come(all, Origin::Admin);
        assert!(other.0.recv_timeout(SOON).is_ok() && admin.0.recv_timeout(SOON).is_ok());
        // All are out: a third address is the next all the same.
        let third = come(all, address(3));
        assert!(third.0.try_recv().is_err());
        flood[0].0.recv_timeout(SOON).unwrap();
        flood[0].1.send(()).unwrap();
        assert!(third.0.recv_timeout(SOON).is_ok());
        assert!(flood[3].0.try_recv().is_err());
        // A second one of the admin listener waits for the first, and for nobody else.
        let second = come(all, Origin::Admin);
        assert!(second.0.try_recv().is_err());
        admin.1.send(()).unwrap();
        assert!(second.0.recv_timeout(SOON).is_ok());
    }

    #[test]
    fn those_of_an_address_have_their_turns_in_order() {
        let all = leaked(2);
        let waiting: Vec<_> = (0..5).map(|_| come(all, address(1))).collect();
        for (has, give) in &waiting {
            assert!(has.recv_timeout(SOON).is_ok());
            assert_eq!(all.state.lock().out(address(1)), 1);
            give.send(()).unwrap();
        }
    }

    #[test]
    fn networks_of_ipv6_are_addresses() {
        let of = |text: &str| Origin::of(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    }
}
