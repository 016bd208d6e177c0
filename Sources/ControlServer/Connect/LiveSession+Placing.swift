import Conference
import Logging
import MediaEngine
import Signaling

/// Who is where, by the rules and in the engine (SUB-3). These calls wait for no others: who was parted does not hear the other any more.
extension LiveSession {
    private static let patience = Duration.milliseconds(1)

    /// A request that may take its sender elsewhere. Those who will not hear each other any more are parted before anybody is told of it.
    func move(_ message: RequestMessage, from id: ConnectionID, _ socket: ClientSocket) async {
        if let place = conference.destination(of: message.request, from: id, now: ControlClock.now) {
            self.place([id], at: place)
            await placed()
        }
        let answer = conference.request(
            message.request, from: id, now: ControlClock.now, wallClock: ControlClock.wall)
        // Where it was refused after all.
        place([id], at: conference.place(of: id))
        reply(message.id, answer.result, on: socket)
        perform(answer.effects)
    }

    /// Has the engine take clients' peers to a place; those that are still to be opened follow.
    func place(_ ids: [ConnectionID], at place: Place) {
        for client in ids.compactMap({ clients[$0] }) where client.place != place {
            client.place = place
            for peer in [client.publisher?.id, client.subscriber?.id].compactMap(\.self) {
                placements.waiting[peer] = place.roomName
            }
        }
        carryOutPlacements()
    }

    /// A peer begins where its client is: it is there before the client can know of it.
    func place(_ peer: TransportID, of client: LiveConnection) async {
        guard client.place != .mainSession else { return }
        placements.waiting[peer] = client.place.roomName
        carryOutPlacements()
        await placed()
    }

    /// Returns once the engine has everybody where they were to be when this was called.
    private func placed() async {
        guard placements.isUnderWay else { return }
        await withCheckedContinuation { placements.waiters.append($0) }
    }

    private func carryOutPlacements() {
        guard !placements.isUnderWay, !placements.waiting.isEmpty else { return }
        placements.isUnderWay = true
        Task {
            while !placements.waiting.isEmpty || !placements.waiters.isEmpty { await carryOutWaiting() }
            placements.isUnderWay = false
        }
    }

    private func carryOutWaiting() async {
        let waiting = placements.waiting
        let waiters = placements.waiters
        (placements.waiting, placements.waiters) = ([:], [])
        if !waiting.isEmpty {
            do throws(EngineError) {
                try await environment.engine.place(
                    waiting.map { RoomPlacement(peer: $0.key, room: $0.value) }, session: engineName)
            } catch .limitReached {
                // The worker is behind with its calls: this one is not given up.
                placements.waiting.merge(waiting) { newer, _ in newer }
                placements.waiters += waiters
                try? await Task.sleep(for: Self.patience)
                return
            } catch {
                logger.notice("media engine did not place", metadata: ["error": "\(error)"])
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension Place {
    /// Name of the engine's room.
    var roomName: String { subsession?.rawValue ?? MediaEngine.mainRoom }

    init(roomName: String) {
        self = roomName == MediaEngine.mainRoom ? .mainSession : .subsession(SubsessionID(rawValue: roomName))
    }
}
