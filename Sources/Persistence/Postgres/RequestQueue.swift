import Cluster
import MediaBase

/// Requests of one connection to the database in the order of their arrival, until they are answered, expire, or the store is closed.
struct RequestQueue<Request, Reply> {
    enum Admission {
        /// - Parameters:
        ///   - wakes: whether the thread waits for this request.
        ///   - deadline: time of the next call of `expire`, unless one is due earlier.
        case accepted(wakes: Bool, deadline: MediaTime?)
        case refused(StoreFailure)
    }

    private struct Entry {
        let request: Request
        let reply: Reply
        let deadline: MediaTime
    }

    private let maximumRequests: Int
    private let timeLimit: MediaTime
    private var entries: [UInt64: Entry] = [:]
    /// Number of the oldest request that may be there.
    private var first: UInt64 = 0
    /// Number of the next request to be carried out.
    private var next: UInt64 = 0
    private var end: UInt64 = 0
    private var isThreadWaiting = false
    private var isExpiryDue = false
    private(set) var isClosed = false

    init(maximumRequests: Int, timeLimit: MediaTime) {
        self.maximumRequests = maximumRequests
        self.timeLimit = timeLimit
    }

    mutating func add(_ request: Request, _ reply: Reply, _ now: MediaTime) -> Admission {
        if isClosed { return .refused(.closed) }
        guard entries.count < maximumRequests else {
            return .refused(StoreFailure("\(maximumRequests) requests wait for the database already"))
        }
        let deadline = now + timeLimit
        entries[end] = Entry(request: request, reply: reply, deadline: deadline)
        end += 1
        defer {
            isThreadWaiting = false
            isExpiryDue = true
        }
        return .accepted(wakes: isThreadWaiting, deadline: isExpiryDue ? nil : deadline)
    }

    /// Returns the next request to be carried out. If there is none, the thread waits until `add` or `close` wakes it.
    mutating func take() -> (number: UInt64, request: Request)? {
        while next < end {
            defer { next += 1 }
            if let entry = entries[next] { return (next, entry.request) }
        }
        isThreadWaiting = !isClosed
        return nil
    }

    /// Returns the receiver of an answer; nil if the request has expired.
    mutating func finish(_ number: UInt64) -> Reply? { entries.removeValue(forKey: number)?.reply }

    /// Removes the requests whose time is over, also one that is being carried out.
    /// - Returns: their receivers, and the time of the next call; nil if it is not needed.
    mutating func expire(_ now: MediaTime) -> (expired: [Reply], deadline: MediaTime?) {
        var expired: [Reply] = []
        while first < end {
            if let entry = entries[first] {
                if entry.deadline > now { return (expired, entry.deadline) }
                expired.append(entry.reply)
                entries[first] = nil
            }
            first += 1
        }
        isExpiryDue = false
        return (expired, nil)
    }

    /// Refuses further requests.
    /// - Returns: the receivers of all requests that were not answered.
    mutating func close() -> [Reply] {
        isClosed = true
        defer { entries = [:] }
        return entries.sorted { $0.key < $1.key }.map(\.value.reply)
    }
}

extension StoreFailure {
    static let closed = StoreFailure("the store was closed")
}
