import Glibc
import MediaBase

/// CPU time of the thread, so that other load on the machine does not count.
enum ThreadTime {
    static var now: MediaTime {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return MediaTime(rawValue: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func measure(_ work: () throws -> Void) rethrows -> MediaTime {
        let begun = now
        try work()
        return now - begun
    }
}
