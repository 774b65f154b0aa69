//! Who is connected, and who is let in.
//!
//! Connections that have not logged in are counted apart from sessions, so that silent ones take no session's place. They are
//! let in without limit as long as they get on; of those that keep the server waiting, whoever has done so longest is cut when a new
//! one comes and there are many: of its own address first, else of the address that has most. One that comes from where nobody
//! floods is never cut before the flood is.
//!
//! The admin listener has its places apart from all others: however many connections there are, one session gets in there.

use crate::channel::Channel;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Connections that have not logged in before one that waits is cut: of an address, and of all.
const WAITING_MAX: (usize, usize) = (64, 256);
/// Connections that have not logged in before even one is cut that has waited for less than [`PATIENCE`]: of an address, and of all.
const PENDING_MAX: (usize, usize) = (1024, 2048);
/// Connections that have not logged in before one that waits is cut at the admin listener, whoever they are.
const ADMIN_PENDING_MAX: usize = 8;
/// How long a client may keep the server waiting before its login without being among the first to go.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which listener a connection has come by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Door {
    /// The one for everybody.
    Main,
    /// The door of the reserved connection.
    Admin,
}

/// Why a login is refused that has the right password.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoRoom {
    /// As many sessions as there may be (17809).
    Full,
    /// There is a session of the admin listener (17810).
    AdminTaken,
    /// It was cut meanwhile.
    Cut,
}

struct Pending {
    channel: Arc<Channel>,
    address: IpAddr,
    door: Door,
}

#[derive(Default)]
struct All {
    /// By number, so by age.
    pending: BTreeMap<u64, Pending>,
    /// Told to go, and not gone yet.
    cut: HashMap<u64, Arc<Channel>>,
    sessions: HashMap<u64, Arc<Channel>>,
    admin: Option<(u64, Arc<Channel>)>,
    last: u64,
}

/// All connections that are open.
pub(crate) struct Connections {
    all: Mutex<All>,
    left: Condvar,
    max_sessions: usize,
}

impl Connections {
    pub(crate) fn new(max_sessions: usize) -> Connections {
        Connections { all: Mutex::default(), left: Condvar::new(), max_sessions }
    }

    /// A new connection's number. The address of another that had to go for it, if one had to.
    pub(crate) fn admit(&self, channel: Arc<Channel>, door: Door) -> (u64, Option<IpAddr>) {
        let address = channel.peer().ip().to_canonical();
        let mut all = self.all.lock();
        let victim = all.in_the_way(address, door);
        let cut = victim.and_then(|id| all.cut(id));
        all.last += 1;
        let id = all.last;
        all.pending.insert(id, Pending { channel, address, door });
        (id, cut)
    }

    /// Descriptors have run out: makes room for one connection, if somebody keeps the server waiting.
    pub(crate) fn make_room(&self) -> Option<IpAddr> {
        let mut all = self.all.lock();
        let victim = all.longest_waiting(Duration::ZERO, |p| p.door == Door::Main)?;
        all.cut(victim)
    }

    /// The listener that a connection which has not logged in has come by.
    pub(crate) fn door(&self, id: u64) -> Door {
        self.all.lock().pending.get(&id).map_or(Door::Main, |p| p.door)
    }

    /// A connection has logged in.
    pub(crate) fn log_in(&self, id: u64) -> Result<(), NoRoom> {
        let mut all = self.all.lock();
        let Some(pending) = all.pending.get(&id) else { return Err(NoRoom::Cut) };
        match pending.door {
            Door::Main if all.sessions.len() >= self.max_sessions => return Err(NoRoom::Full),
            Door::Admin if all.admin.is_some() => return Err(NoRoom::AdminTaken),
            _ => {}
        }
        if let Some(Pending { channel, door, .. }) = all.pending.remove(&id) {
            match door {
                Door::Main => drop(all.sessions.insert(id, channel)),
                Door::Admin => all.admin = Some((id, channel)),
            }
        }
        Ok(())
    }

    /// A connection has ended, however far it had come.
    pub(crate) fn leave(&self, id: u64) {
        let mut all = self.all.lock();
        all.pending.remove(&id);
        all.cut.remove(&id);
        all.sessions.remove(&id);
        all.admin.take_if(|(admin, _)| *admin == id);
        drop(all);
        self.left.notify_all();
    }

    /// Does `act` to every open connection, again and again, until none is left or the time is over. Gives how many are left.
    pub(crate) fn drain(&self, time: Duration, act: impl Fn(&Channel)) -> usize {
        let until = Instant::now() + time;
        let mut all = self.all.lock();
        loop {
            let channels: Vec<Arc<Channel>> = all.channels().cloned().collect();
            if channels.is_empty() || Instant::now() >= until {
                return channels.len();
            }
            channels.iter().for_each(|c| act(c));
            self.left.wait_for(&mut all, Duration::from_millis(20));
        }
    }
}

impl All {
    fn channels(&self) -> impl Iterator<Item = &Arc<Channel>> {
        let pending = self.pending.values().map(|p| &p.channel);
        let rest = self.cut.values().chain(self.sessions.values());
        pending.chain(rest).chain(self.admin.iter().map(|(_, channel)| channel))
    }

    /// The connection that has to go when one more comes from an address.
    fn in_the_way(&self, address: IpAddr, door: Door) -> Option<u64> {
        let count = |of: &dyn Fn(&Pending) -> bool| self.pending.values().filter(|p| of(p)).count();
        if door == Door::Admin {
            let admin = |p: &Pending| p.door == Door::Admin;
            return match count(&admin) >= ADMIN_PENDING_MAX {
                true => self.longest_waiting(Duration::ZERO, admin),
                false => None,
            };
        }
        let own = |p: &Pending| p.door == Door::Main && p.address == address;
        let of_own = count(&own);
        if of_own >= WAITING_MAX.0 {
            let patience = if of_own >= PENDING_MAX.0 { Duration::ZERO } else { PATIENCE };
            return self.longest_waiting(patience, own);
        }
        let all = count(&|p| p.door == Door::Main);
        if all < WAITING_MAX.1 {
            return None;
        }
        let mut by_address = HashMap::<IpAddr, usize>::new();
        for p in self.pending.values().filter(|p| p.door == Door::Main) {
            *by_address.entry(p.address).or_default() += 1;
        }
        let (most, _) = by_address.into_iter().max_by_key(|(_, n)| *n)?;
        let patience = if all >= PENDING_MAX.1 { Duration::ZERO } else { PATIENCE };
        self.longest_waiting(patience, |p| p.door == Door::Main && p.address == most)
    }

    fn longest_waiting(&self, patience: Duration, of: impl Fn(&Pending) -> bool) -> Option<u64> {
        let waiting = self.pending.iter().filter(|(_, p)| of(p));
        let waiting = waiting.filter_map(|(id, p)| Some((p.channel.waits_since()?, *id)));
        let (since, id) = waiting.min()?;
        (since.elapsed() >= patience).then_some(id)
    }

    fn cut(&mut self, id: u64) -> Option<IpAddr> {
        let Pending { channel, address, .. } = self.pending.remove(&id)?;
        channel.shut();
        self.cut.insert(id, channel);
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{SocketAddr, TcpListener, TcpStream};

    /// A connection that has come from an address, and its client's end.
    fn channel(listener: &TcpListener, address: [u8; 4], waits: bool) -> (Arc<Channel>, TcpStream) {
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, _) = listener.accept().unwrap();
        let channel = Channel::new(socket, SocketAddr::from((address, 4000))).unwrap();
        if waits {
            channel.note_waiting(true);
        }
        (Arc::new(channel), client)
    }

    #[test]
    fn whoever_floods_is_cut_and_nobody_else() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let all = Connections::new(10);
        let (flood, other) = ([10, 0, 0, 1], [10, 0, 0, 2]);
        let mut clients = Vec::new();
        let mut come = |address, waits, door| {
            let (channel, client) = channel(&listener, address, waits);
            clients.push(client);
            all.admit(channel, door)
        };
        let first = come(other, true, Door::Main).0;
        let busy = come(flood, false, Door::Main).0;
        let silent: Vec<u64> = (0..WAITING_MAX.0 - 1)
            .map(|_| {
                let (id, cut) = come(flood, true, Door::Main);
                assert_eq!(cut, None);
                id
            })
            .collect();
        // Nobody has waited for long: all get in, a burst of logins among them.
        assert_eq!(come(flood, false, Door::Main).1, None);
        std::thread::sleep(PATIENCE);
        let (last, cut) = come(flood, true, Door::Main);
        assert_eq!(cut, Some(IpAddr::from(flood)));
        assert_eq!(all.log_in(silent[0]), Err(NoRoom::Cut), "the one that had waited longest");
        assert_eq!(come(other, true, Door::Main).1, None, "another address has its own");
        for id in [first, busy, silent[1], last] {
            assert_eq!(all.log_in(id), Ok(()));
        }
        assert_eq!(all.make_room(), Some(IpAddr::from(flood)));
        // The admin listener has a place of its own, and always takes the next.
        let admins: Vec<u64> =
            (0..ADMIN_PENDING_MAX).map(|_| come([127, 0, 0, 1], true, Door::Admin).0).collect();
        let (admin, cut) = come([127, 0, 0, 1], true, Door::Admin);
        assert!(cut.is_some() && all.log_in(admins[0]) == Err(NoRoom::Cut));
        assert_eq!(all.log_in(admin), Ok(()));
        assert_eq!(all.log_in(admins[1]), Err(NoRoom::AdminTaken));
        all.leave(admin);
        assert_eq!(all.log_in(admins[1]), Ok(()));
    }

    #[test]
    fn sessions_are_counted_apart_from_those_that_have_not_logged_in() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let all = Connections::new(1);
        let come = |door| all.admit(channel(&listener, [10, 0, 0, 1], true).0, door).0;
        let ids: Vec<u64> = (0..20).map(|_| come(Door::Main)).collect();
        let admin = come(Door::Admin);
        assert_eq!(all.log_in(ids[7]), Ok(()));
        assert_eq!(all.log_in(ids[8]), Err(NoRoom::Full));
        assert_eq!(all.log_in(admin), Ok(()), "it takes no place of the others");
        all.leave(ids[7]);
        assert_eq!(all.log_in(ids[8]), Ok(()));
    }
}
