import CCrash
import CLinuxNet
import Glibc
import MediaBase
import Transport

/// The worker's thread. A turn waits, runs the mailbox, receives datagrams, forwards pending packets that are due, and runs timers.
extension Worker {
    /// Time limit for control calls in one turn, so that packets do not wait for longer.
    private static let workSlice = MediaTime.milliseconds(1)

    func start() {
        let box = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { raw in
                let worker = Unmanaged<Worker>.fromOpaque(raw!).takeRetainedValue()
                worker.run()
                return nil
            }, box.toOpaque())
    }

    /// Ends the loop and waits for the thread. Calls in the mailbox still run.
    func stop() {
        mailbox.close { $0.isStopping = true }
        pthread_join(thread, nil)
    }

    private func run() {
        guard let sockets else { return }
        millrace_thread_name("media-\(index)")
        millrace_crash_set_source(Int32(clamping: index))
        millrace_crash_prepare_thread()
        var descriptors = (
            mailbox.event, sockets.rtp, sockets.rtcp, sockets.webRTC, sockets.tcp?.descriptor ?? -1
        )
        let count: Int32 = sockets.tcp == nil ? 4 : 5
        while true {
            var timeout = work.isEmpty ? max(0, (nextDeadline() - time()).rawValue) : 0
            if let end = rest.end { timeout = min(timeout, max(0, (end - time()).rawValue)) }
            descriptors.3 = rest.end == nil ? sockets.webRTC : -1
            var ready = withUnsafeBytes(of: &descriptors) {
                millrace_wait($0.assumingMemoryBound(to: Int32.self).baseAddress, count, timeout)
            }
            if let end = rest.end, time() >= end { ready |= 8 }
            if ready & 1 != 0 || !work.isEmpty, !runMailbox() { break }
            if ready & 2 != 0 { drain(.rtp, sockets) }
            if ready & 4 != 0 { drain(.rtcp, sockets) }
            if ready & 8 != 0 { drain(.webRTC, sockets) }
            if ready & 16 != 0 { drain(streams: sockets) }
            act()
            #if DEBUG
                stallWhenDue()
            #endif
        }
        closeAll()
        sockets.close()
    }

    /// Runs everything that is due.
    func act() {
        egress.forwardDue()
        allocateSlowed()
        let now = time()
        #if DEBUG
            trapWhenDue(now)
        #endif
        egress.catchUp(now)
        allocateSlowed()
        if now >= inbound.nextRequests { sendRequests(now) }
        if now >= peers.nextSweep { lookAfterPeers(now) }
        if now >= allocator.nextProbe { sendProbes(now) }
        if now >= housekeepingSchedule.next { housekeeping(now) }
        guard let tcp = sockets?.tcp else { return }
        if let due = tcp.deadline, now >= due { tcp.housekeeping(now) }
        // Ended connections are handled here, not when they end, because that may be in the middle of a batch.
        guard tcp.hasEnded else { return }
        for (connection, remote) in tcp.takeEnded() {
            disconnected(PeerAddress(remote, connection: connection), now: now)
        }
    }

    /// Returns the time at which `act` is due next.
    func nextDeadline() -> MediaTime {
        var deadline = min(
            min(housekeepingSchedule.next, allocator.nextProbe), min(inbound.nextRequests, peers.nextSweep))
        deadline = min(deadline, egress.deadline)
        if let due = sockets?.tcp?.deadline { deadline = min(deadline, due) }
        #if DEBUG
            deadline = min(deadline, faultDue)
        #endif
        return deadline
    }

    private func runMailbox() -> Bool {
        if work.isEmpty { work = mailbox.takeAll() }
        if !work.isEmpty {
            let end = millrace_monotonic_ns() + Self.workSlice.rawValue
            repeat {
                work[workDone](self)
                workDone += 1
            } while workDone < work.count && millrace_monotonic_ns() < end
            if workDone == work.count {
                work = []
                workDone = 0
            }
        }
        counters.workerCPU = UInt64(millrace_thread_cpu_ns())
        return !isStopping
    }

    /// Receives datagrams of one port, at most four batches, so that pending packets are sent in time.
    private func drain(_ name: WorkerSockets.Name, _ sockets: WorkerSockets) {
        gotOtherThanRTCP = false
        for _ in 0..<4 {
            var truncated: UInt32 = 0
            let datagrams = sockets.receive(name, truncated: &truncated)
            counters.droppedOversized &+= UInt64(truncated)
            guard !datagrams.isEmpty else { break }
            let now = time()
            for datagram in datagrams { receive(datagram, on: name, now: now) }
            if datagrams.count < WorkerSockets.receiveSlots { break }
        }
        if name == .webRTC {
            rest.read(isFeedbackAlone: !gotOtherThanRTCP, hasPublishers: webRTCPublishers > 0, now: time())
        }
        flushTaps()
    }

    private func drain(streams sockets: WorkerSockets) {
        let now = time()
        sockets.tcp?.process(now) { connection, from, datagram in
            guard let bytes = datagram.baseAddress else { return }
            counters.datagramsReceived &+= 1
            counters.bytesReceived &+= UInt64(datagram.count)
            receive(
                bytes, length: datagram.count, from: PeerAddress(from, connection: connection), on: .webRTC, now: now)
        }
        flushTaps()
    }

    func flushTaps() {
        guard !tapped.isEmpty else { return }
        for tap in tapped { tap.flush() }
        tapped.removeAll(keepingCapacity: true)
    }

    /// Splits datagrams that the kernel has coalesced (GRO) and handles each.
    private func receive(_ datagram: millrace_datagram, on name: WorkerSockets.Name, now: MediaTime) {
        guard let from = SocketAddress(datagram.from) else { return }
        let peer = PeerAddress(from, local: datagram.local)
        let segment = datagram.segment == 0 ? datagram.length : datagram.segment
        var left = Int(datagram.length)
        var bytes = UnsafeMutableRawPointer(datagram.data!)
        counters.bytesReceived &+= UInt64(left)
        while left > 0 {
            let length = min(Int(segment), left)
            counters.datagramsReceived &+= 1
            receive(bytes, length: length, from: peer, on: name, now: now)
            bytes += length
            left -= length
        }
    }
}
