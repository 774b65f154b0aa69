//! Reserving space only where there is some.
//!
//! A file system that is asked for more than it has takes all there is before it says no, and gives it back only after that:
//! meanwhile everybody else's growth fails. So whoever wants much looks first.

use crate::{Disk, IoError, IoResult, Volume};

/// Up to here the file system is simply asked: what it takes for a moment is little, and it knows best (quotas, blocks that
/// are kept for the superuser).
const ASKED: u64 = 64 << 20;

/// [`Volume::allocate`], refused at once if the file system has not that much room.
pub fn reserve(disk: &dyn Disk, volume: &dyn Volume, offset: u64, len: u64) -> IoResult<()> {
    let end = offset.saturating_add(len);
    if len > ASKED {
        let wanted = end.saturating_sub(volume.len()?.max(offset));
        // A file system that does not tell its size has none to compare with.
        if let Ok(space) = disk.space(volume.path())
            && space.total > 0
            && wanted > space.available
        {
            let full = std::io::Error::from(rustix::io::Errno::NOSPC);
            return Err(IoError::new("allocate", volume.path(), full));
        }
    }
    volume.allocate(offset, len)
}

#[cfg(test)]
mod tests {
    use super::reserve;
    use crate::OpenSpec;
    use crate::sim::SimWorld;

    #[test]
    fn what_is_not_there_is_not_asked_for() {
        let world = SimWorld::new(1);
        let disk = world.env().disk;
        disk.create_dir("/d".as_ref()).unwrap();
        let volume = disk.create("/d/f".as_ref(), OpenSpec::DATA).unwrap();
        world.set_capacity(300 << 20);
        let asked = || world.stats().operations;
        let before = asked();
        let e = reserve(&*disk, &*volume, 0, 301 << 20).unwrap_err();
        assert!(e.is_full(), "{e}");
        assert_eq!(e.system_error(), "112(There is not enough space on the disk.)");
        assert_eq!(asked(), before, "the file system was asked");
        assert_eq!(volume.len().unwrap(), 0);
        reserve(&*disk, &*volume, 0, 200 << 20).unwrap();
        // What the file has already need not be free.
        reserve(&*disk, &*volume, 100 << 20, 200 << 20).unwrap();
    }
}
