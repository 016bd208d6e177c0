import Cluster
import Conference
import MediaBase
import Signaling

/// Clients: they ask any relay, which proxies them to the home relay; they stay, leave, and resume.
extension VirtualCluster {
    /// Number of times that an edge follows `.there` before its client waits.
    private static let redirections = 4

    /// Begins a new attempt of a client.
    func again(_ client: Int, after time: MediaTime) {
        clients[client].attempt += 1
        clients[client].proxied = nil
        clients[client].session = nil
        events.add(.send(client: client, attempt: clients[client].attempt), at: now + time)
    }

    func handleClient(_ event: Event) {
        switch event {
        case .send(let client, let attempt):
            guard clients[client].attempt == attempt else { return }
            guard areClientsActive else { return again(client, after: .seconds(5)) }
            clients[client].edge = random.below(relays.count)
            if clients[client].resumes == nil { clients[client].name = random.below(names.count) }
            clients[client].redirections = 0
            sendResolve(client, to: clients[client].edge)
        case .resolve(let relay, let client, let attempt):
            guard clients[client].attempt == attempt else { return }
            resolve(relay, client)
        case .open(let relay, let process, let client, let attempt, let id):
            guard clients[client].attempt == attempt else { return }
            open(relay, process, client, id)
        case .leave(let client, let attempt):
            guard clients[client].attempt == attempt, let id = clients[client].session else { return }
            leave(client, id)
        default: break
        }
    }

    private func sendResolve(_ client: Int, to relay: Int) {
        events.add(.resolve(relay: relay, client: client, attempt: clients[client].attempt), at: now + linkDelay())
    }

    private func resolve(_ relay: Int, _ client: Int) {
        let state = clients[client]
        // The link to the home relay does not answer.
        let isReached = relays[relay].isRunning && (state.proxied == nil || !isCut(state.edge, relay))
        guard isReached else { return again(client, after: .seconds(1)) }
        let ticket = newTicket()
        relays[relay].questions[ticket] = VirtualRelay.Question(client: client, asked: now)
        let key = names[state.name], isProxied = state.proxied != nil
        if let id = state.resumes {
            change(relay) { $0.resolve(id, ticket: ticket, now: $1) }
        } else {
            let isLookup = random.below(10) == 0, id = newID()
            change(relay) {
                $0.resolve(key, newID: isLookup ? nil : id, isProxied: isProxied, ticket: ticket, now: $1)
            }
        }
    }

    func resolved(_ relay: Int, _ ticket: ResolveTicket, _ resolution: Resolution) {
        if probes[ticket] != nil {
            if case .here = resolution, !relays[relay].acts(now) {
                report("relay \(relay) answered `here` and does not act")
            }
            probes[ticket] = .some(resolution)
            return
        }
        guard let question = relays[relay].questions.removeValue(forKey: ticket) else {
            return report("relay \(relay) answered the ticket \(ticket.rawValue) twice")
        }
        let client = question.client
        switch resolution {
        case .here(let id):
            if !relays[relay].acts(now) { report("relay \(relay) answered `here` and does not act") }
            let event = Event.open(
                relay: relay, process: relays[relay].process, client: client, attempt: clients[client].attempt, id)
            events.add(event, at: now + linkDelay())
        case .there(let record): follow(client, relay, record)
        case .unavailable(let time, _): again(client, after: time + duration(0, 200))
        case .unknown:
            clients[client].resumes = nil
            again(client, after: duration(0, 200))
        }
    }

    private func follow(_ client: Int, _ relay: Int, _ record: RelayRecord) {
        let edge = clients[client].edge
        if let other = clients[client].proxied {
            // The named relay is not the home relay. The edge asks again.
            let name = relays[other].member.description.id
            if relays[edge].isRunning, let home = relays[edge].member.table[name]?.identity {
                change(edge) { [key = names[clients[client].name]] member, _ in member.forget(key, at: home) }
            }
            clients[client].proxied = nil
            clients[client].redirections += 1
            guard clients[client].redirections < Self.redirections else { return again(client, after: .seconds(1)) }
            return sendResolve(client, to: edge)
        }
        guard let number = Int(record.identity.id.rawValue.dropFirst()) else { return }
        clients[client].proxied = number
        sendResolve(client, to: number)
    }

    func open(_ relay: Int, _ process: Int, _ client: Int, _ id: SessionID) {
        let key = names[clients[client].name]
        guard isRunning(relay, process), relays[relay].acts(now), relays[relay].member.held(key)?.id == id else {
            return again(client, after: duration(100, 1_000))
        }
        enter(relay, client, id)
        guard clients[client].session == id else { return }
        let stay = areClientsActive ? duration(100, random.below(3) == 0 ? 30_000 : 3_000) : .zero
        events.add(.leave(client: client, attempt: clients[client].attempt), at: now + stay)
    }

    private func leave(_ client: Int, _ id: SessionID) {
        let relay = clients[client].home
        // A process that is stopped notices it later.
        guard relays[relay].stalledUntil <= now else {
            return events.add(
                .leave(client: client, attempt: clients[client].attempt), at: relays[relay].stalledUntil)
        }
        relays[relay].clients[id]?.remove(client)
        // Some clients only lose their connection.
        if random.below(4) == 0 {
            clients[client].resumes = id
        } else {
            clients[client].saved = nil
            note(relay, id, seat: nil, of: client)
        }
        if relays[relay].clients[id]?.isEmpty ?? false {
            relays[relay].clients[id] = nil
            dropState(relay, id)
            ledger.end(id)
            change(relay) { member, _ in member.ended(id) }
        }
        again(client, after: duration(0, 3_000))
    }

    /// Closes the connections of all clients of a relay, which return.
    func sendAllAway(_ relay: Int) {
        let ids = Set(relays[relay].clients.keys).union(relays[relay].states.keys)
        for id in ids.sorted(by: { $0.rawValue < $1.rawValue }) { sendAway(relay, id) }
    }

    /// Closes the connections of a session's clients, which return.
    func sendAway(_ relay: Int, _ id: SessionID) {
        dropState(relay, id)
        for client in (relays[relay].clients.removeValue(forKey: id) ?? []).sorted() {
            if random.below(2) == 0 { clients[client].resumes = id }
            again(client, after: duration(0, 1_000))
        }
    }
}
