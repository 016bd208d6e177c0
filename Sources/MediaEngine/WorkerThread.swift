import CCrash
import CLinuxNet
import Glibc
import MediaBase
import RTP
import Transport

/// Thread of a worker in real time. A turn waits, runs the mailbox, receives datagrams, and lets the worker send pending packets that are due
/// and run its timers.
final class WorkerThread: @unchecked Sendable {
    /// Time limit for control calls in one turn, so that packets do not wait for longer.
    private static let workSlice = MediaTime.milliseconds(1)

    let worker: Worker
    private var thread = pthread_t()
    /// Used if RTCP arrives at the WebRTC port itself.
    private var rest: FeedbackRest
    /// Whether the current read of the WebRTC port has found only RTCP.
    private var isFeedbackAlone = true
    /// Used if RTCP arrives at a socket of its own.
    private var schedule = FeedbackSchedule()
    /// Control calls taken from the mailbox, and how many of them have run.
    private var work: [Mailbox.Work] = []
    private var workDone = 0

    init(_ worker: Worker) {
        self.worker = worker
        rest = FeedbackRest(length: worker.configuration.gather)
    }

    func start() {
        let box = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { raw in
                let thread = Unmanaged<WorkerThread>.fromOpaque(raw!).takeRetainedValue()
                thread.run()
                return nil
            }, box.toOpaque())
    }

    /// Ends the loop and waits for the thread. Calls in the mailbox still run.
    func stop() {
        worker.mailbox.close { $0.isStopping = true }
        pthread_join(thread, nil)
    }

    private func run() {
        let worker = worker
        guard let sockets = worker.sockets else { return }
        millrace_thread_name("media-\(worker.index)")
        millrace_crash_set_source(Int32(clamping: worker.index))
        millrace_crash_prepare_thread()
        var descriptors = (
            worker.mailbox.event, sockets.rtp, sockets.rtcp, sockets.webRTC, sockets.tcp?.descriptor ?? -1,
            sockets.webRTCFeedback
        )
        while true {
            var timeout = work.isEmpty ? max(0, (worker.nextDeadline() - worker.time()).rawValue) : 0
            let hasLinks = !worker.links.readers.isEmpty
            if hasLinks { worker.mailbox.beginWait() }
            if hasLinks, worker.links.hasRecords { timeout = 0 }
            if let end = rest.end ?? schedule.end { timeout = min(timeout, max(0, (end - worker.time()).rawValue)) }
            descriptors.3 = rest.end == nil ? sockets.webRTC : -1
            descriptors.5 = schedule.end == nil ? sockets.webRTCFeedback : -1
            var ready = withUnsafeBytes(of: &descriptors) {
                millrace_wait($0.assumingMemoryBound(to: Int32.self).baseAddress, 6, timeout)
            }
            if hasLinks { worker.mailbox.endWait() }
            if let end = rest.end, worker.time() >= end { ready |= 8 }
            if ready & 1 != 0 || !work.isEmpty, !runMailbox() { break }
            if ready & 2 != 0 { receive(from: .rtp, sockets) }
            if ready & 4 != 0 { receive(from: .rtcp, sockets) }
            if ready & 8 != 0 { receiveWebRTC(sockets) }
            if ready & 16 != 0 { receiveStreams(sockets) }
            if sockets.webRTCFeedback >= 0 {
                receiveFeedback(sockets, isReadable: ready & 32 != 0, isAwakeForMedia: ready & 26 != 0)
            }
            worker.readLinks()
            worker.taps.flush()
            worker.act()
            worker.links.flush()
            #if DEBUG
                worker.faults.stallWhenDue(worker.clock)
            #endif
        }
        worker.closeAll()
        sockets.close()
    }

    private func runMailbox() -> Bool {
        if work.isEmpty { work = worker.mailbox.takeAll() }
        if !work.isEmpty {
            let end = millrace_monotonic_ns() + Self.workSlice.rawValue
            repeat {
                work[workDone](worker)
                workDone += 1
            } while workDone < work.count && millrace_monotonic_ns() < end
            if workDone == work.count {
                work = []
                workDone = 0
            }
        }
        worker.counters.workerCPU = UInt64(millrace_thread_cpu_ns())
        return !worker.isStopping
    }

    /// Receives datagrams of WebRTC peers from the port's own socket.
    private func receiveWebRTC(_ sockets: WorkerSockets) {
        isFeedbackAlone = true
        _ = receive(from: .webRTC, sockets)
        guard sockets.webRTCFeedback < 0 else { return }
        rest.read(
            isFeedbackAlone: isFeedbackAlone, hasPublishers: worker.peers.publisherCount > 0, now: worker.time())
    }

    /// Receives RTCP of WebRTC peers from its own socket if that is due.
    private func receiveFeedback(_ sockets: WorkerSockets, isReadable: Bool, isAwakeForMedia: Bool) {
        guard isReadable || schedule.end != nil,
            schedule.isDue(isReadable: isReadable, isAwakeForMedia: isAwakeForMedia, now: worker.time())
        else { return }
        let (count, hasMore) = receive(from: .webRTCFeedback, sockets)
        schedule.read(datagrams: count, hasMore: hasMore, now: worker.time())
    }

    /// Handles the datagrams of a socket, at most four batches, so that pending packets are sent in time. (A closure that receives them would
    /// be retained in each turn.)
    /// - Returns: the number of datagrams, and whether there may be more.
    @discardableResult
    private func receive(from source: WorkerSockets.Source, _ sockets: WorkerSockets) -> (count: Int, hasMore: Bool) {
        let worker = worker
        var count = 0
        for _ in 0..<4 {
            var truncated: UInt32 = 0
            let datagrams = sockets.receive(source, truncated: &truncated)
            worker.counters.droppedOversized &+= UInt64(truncated)
            guard !datagrams.isEmpty else { return (count, false) }
            let now = worker.time()
            for datagram in datagrams { receive(datagram, from: source, worker, now: now) }
            count += datagrams.count
            if datagrams.count < WorkerSockets.receiveSlots { return (count, false) }
        }
        return (count, true)
    }

    /// Receives datagrams of WebRTC peers that use TCP.
    private func receiveStreams(_ sockets: WorkerSockets) {
        let worker = worker
        let now = worker.time()
        sockets.tcp?.process(now) { connection, from, datagram in
            guard let bytes = datagram.baseAddress else { return }
            worker.counters.datagramsReceived &+= 1
            worker.counters.bytesReceived &+= UInt64(datagram.count)
            worker.receive(
                bytes, length: datagram.count, from: PeerAddress(from, connection: connection), on: .webRTC, now: now)
        }
    }

    /// Splits datagrams that the kernel has coalesced (GRO) and handles each.
    private func receive(
        _ datagram: millrace_datagram, from source: WorkerSockets.Source, _ worker: Worker, now: MediaTime
    ) {
        guard let from = SocketAddress(datagram.from) else { return }
        let peer = PeerAddress(from, local: datagram.local)
        let segment = datagram.segment == 0 ? datagram.length : datagram.segment
        var left = Int(datagram.length)
        var bytes = UnsafeMutableRawPointer(datagram.data!)
        worker.counters.bytesReceived &+= UInt64(left)
        while left > 0 {
            let length = min(Int(segment), left)
            worker.counters.datagramsReceived &+= 1
            if isFeedbackAlone, source == .webRTC {
                isFeedbackAlone = DatagramKind(UnsafeRawBufferPointer(start: bytes, count: length)) == .rtcp
            }
            worker.receive(bytes, length: length, from: peer, on: source.port, now: now)
            bytes += length
            left -= length
        }
    }
}
