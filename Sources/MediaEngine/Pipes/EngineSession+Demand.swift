import Forwarding
import MediaBase
import RTP

/// Mirroring relay: tells the relays of the publishers which encodings it needs. The smallest encoding of each stream is always one of them.
extension EngineSession {
    /// Emits the demands that have changed or are due.
    func demandEncodings(_ inbound: borrowing InboundTable, now: MediaTime) {
        guard demandingPipes > 0 else { return }
        let isDue = now >= demandAt
        if isDue {
            demandAt = now + PipeFormat.controlInterval
            reportTakers(inbound)
        }
        var demanded: [TransportID: [Producer]] = [:]
        for stream in streams where stream.isOnDemand {
            let isChanged = updateDemand(of: stream, inbound, now: now)
            guard isDue || isChanged else { continue }
            demanded[stream.source.transport, default: []] += stream.encodings.map(\.producer)
        }
        guard !demanded.isEmpty else { return }
        for pipe in publishers.members where pipe.isPipe {
            var rest = demanded[pipe.id, default: []][...]
            while let first = rest.first {
                emit(.sendToPublisher(demand(of: rest.prefix(PipeDemand.maximumSources), pipe, inbound), first, pipe))
                rest = rest.dropFirst(PipeDemand.maximumSources)
            }
        }
    }

    /// Returns the demand for a stream, which precedes a key frame request in its datagram: an encoding that is held back has to be sent
    /// before its key frame is of use.
    func demand(
        before request: Producer, of pipe: PublishTransport, _ inbound: borrowing InboundTable, now: MediaTime
    ) -> [UInt8] {
        guard demandingPipes > 0, pipe.isPipe, request.tag >= 0 else { return [] }
        let stream = inbound[request.tag].pointee.stream.takeUnretainedValue()
        guard stream.isOnDemand else { return [] }
        _ = updateDemand(of: stream, inbound, now: now)
        return demand(of: stream.encodings.map(\.producer).prefix(PipeDemand.maximumSources), pipe, inbound)
    }

    private func updateDemand(of stream: EngineStream, _ inbound: borrowing InboundTable, now: MediaTime) -> Bool {
        var elsewhere: [Producer] = []
        if !parts.isEmpty {
            for encoding in stream.encodings where parts.need(inbound[encoding.producer.tag].pointee.number) {
                elsewhere.append(encoding.producer)
            }
        }
        return stream.updateDemand(takenElsewhere: elsewhere, now: now)
    }

    private func demand(
        of producers: ArraySlice<Producer>, _ pipe: PublishTransport, _ inbound: borrowing InboundTable
    ) -> [UInt8] {
        var wanted: [UInt32] = []
        var unwanted: [UInt32] = []
        for producer in producers {
            let stream = inbound[producer.tag].pointee.stream.takeUnretainedValue()
            let ssrc = producer.configuration.ssrc.rawValue
            if stream.demand.tags.contains(producer.tag) { wanted.append(ssrc) } else { unwanted.append(ssrc) }
        }
        pipe.reception?.demands &+= 1
        var bytes: [UInt8] = []
        PipeDemand(
            sender: pipe.localSSRC, number: pipe.reception?.demands ?? 0, wanted: wanted, unwanted: unwanted
        ).write(into: &bytes)
        return bytes
    }

    /// Notes that another part of the session waits for a key frame of an encoding, so that it needs the encoding.
    func noteNeed(of producer: Producer, _ inbound: borrowing InboundTable, now: MediaTime) {
        guard producer.tag >= 0 else { return }
        let stream = inbound[producer.tag].pointee.stream.takeUnretainedValue()
        if stream.isOnDemand { stream.demand.note(producer.tag, now: now) }
    }

    // MARK: narrow paths

    /// Makes a new choice of encodings due, because encodings of mirrored streams begin or cease to be withheld.
    func noteWithheld() {
        allocateAll()
        emit(.visit)
    }

    /// Tells the relays of the publishers, if they measure the path, how many subscribers and taps take each encoding.
    func reportTakers(_ inbound: borrowing InboundTable) {
        for pipe in publishers.members where pipe.isPipe && pipe.feedback.hasBegun {
            var entries: [PipeTakers.Entry] = []
            var first: Producer?
            for stream in streams(of: pipe) {
                for encoding in stream.encodings {
                    let producer = encoding.producer
                    first = first ?? producer
                    let takers =
                        stream.takers(of: producer) + parts.takers(of: inbound[producer.tag].pointee.number)
                    entries.append(
                        PipeTakers.Entry(
                            ssrc: producer.configuration.ssrc.rawValue, takers: UInt32(clamping: takers)))
                }
            }
            guard let first else { continue }
            var rest = entries[...]
            while !rest.isEmpty {
                var bytes: [UInt8] = []
                PipeTakers(Array(rest.prefix(PipeTakers.maximumEntries))).write(from: pipe.localSSRC, into: &bytes)
                emit(.sendToPublisher(bytes, first, pipe))
                rest = rest.dropFirst(PipeTakers.maximumEntries)
            }
        }
    }

    // MARK: other parts

    /// Tells the home part which encodings of mirrored streams this part takes, if they or their takers are others than before.
    func reportNeeds(_ inbound: borrowing InboundTable) {
        guard isPart else { return }
        var needed: [UInt64: Int] = [:]
        for stream in streams where stream.source.isPipe {
            for encoding in stream.encodings {
                let takers = stream.takers(of: encoding.producer)
                if takers > 0 { needed[inbound[encoding.producer.tag].pointee.number] = takers }
            }
        }
        guard needed != part?.needed else { return }
        part?.needed = needed
        emit(.needEncodings(needed))
    }
}
