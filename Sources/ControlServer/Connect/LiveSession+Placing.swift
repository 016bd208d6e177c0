import Conference
import Logging
import MediaEngine
import Signaling

/// Moves between the main session and subsessions, in `Conference` and in the engine (SUB-3). These calls do not wait for queued calls, so
/// that clients in different places stop hearing each other at once.
extension LiveSession {
    private static let patience = Duration.milliseconds(1)

    /// Handles a request that may move its sender. The engine stops media between clients that the move separates before anyone is
    /// notified.
    func move<Body: RequestBody>(_ request: Body, _ call: RequestCall) async {
        let id = call.client.id
        if let place = conference.destination(of: request, from: id, now: ControlClock.now) {
            self.place([id], at: place)
            await placed()
        }
        let moved = conference.request(request, from: id, now: ControlClock.now, wallClock: ControlClock.wall)
        // Takes the move back if the request was refused.
        place([id], at: conference.place(of: id))
        reply(call, moved.result)
        perform(moved.effects)
    }

    /// Has the engine move clients' peers to a place; peers that open later follow.
    func place(_ ids: [ConnectionID], at place: Place) {
        for client in ids.compactMap({ clients[$0] }) where client.place != place {
            client.place = place
            for peer in [client.publisher?.id, client.subscriber?.id].compactMap(\.self) {
                placements.waiting[peer] = place.roomName
            }
        }
        carryOutPlacements()
    }

    /// Moves a new peer to its client's place, before the client can know of the peer.
    func place(_ peer: TransportID, of client: LiveConnection) async {
        guard client.place != .mainSession else { return }
        placements.waiting[peer] = client.place.roomName
        carryOutPlacements()
        await placed()
    }

    /// Returns when the engine has carried out all moves that were requested before this call.
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
                // The worker's queue of calls is full, so these moves are tried again.
                placements.waiting.merge(waiting) { newer, _ in newer }
                placements.waiters += waiters
                try? await Task.sleep(for: Self.patience)
                return
            } catch {
                logger.notice("media engine could not move peers", metadata: ["error": "\(error)"])
            }
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension Place {
    /// Name of the place's room in the engine.
    var roomName: String { subsession?.rawValue ?? MediaEngine.mainRoom }

    init(roomName: String) {
        self = roomName == MediaEngine.mainRoom ? .mainSession : .subsession(SubsessionID(rawValue: roomName))
    }
}
