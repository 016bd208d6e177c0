import Conference
import Logging
import NIOCore
import Signaling

extension SessionCore {
    /// Attaches a client that resumes to its new socket (CON-3).
    func resume(_ id: ConnectionID, _ request: ResumeRequest, _ arrival: Arrival) -> Result<Void, SignalingError> {
        guard let client = clients[id] else { return .failure(SignalingError(.resumeExpired)) }
        guard arrival.socket.isConfidential || !media.usesKeys(id) else { return .failure(SignalingError.readableKeys) }
        do throws(SignalingError) {
            if let missed = try client.resume(request) {
                try replay(missed, to: client, arrival)
            } else {
                try sendSnapshot(to: client, resumeToken: request.resumeToken, offer: request.offer, arrival)
            }
            return .success(())
        } catch {
            if error.code == .resumeGap {
                // The client has to join again, so its old connection can end now.
                perform(conference.disconnect(id, reason: .networkLost, now: time.now))
            }
            return .failure(error)
        }
    }

    /// Answers a client whose missed events are in its outbox.
    private func replay(_ missed: Int, to client: LiveConnection, _ arrival: Arrival) throws(SignalingError) {
        let effects: [Effect]
        do throws(SignalingError) {
            effects = try conference.resume(client.id, now: time.now).get()
        } catch {
            client.outbox.detach()
            client.settleQueue()
            throw error
        }
        attach(client, arrival)
        let answer = ResumeRequest.Answer(
            connection: client.id, missed: missed, publishLost: hasLostPublisher(client),
            subscribeLost: media.subscriber(of: client.id) == nil)
        reply(arrival.request, .success(answer), on: arrival.socket)
        noteResume(of: client, ["missed": "\(missed)"])
        clients.write(client)
        perform(effects)
    }

    /// Answers a client that gets the session's state in place of events that this relay does not have.
    ///
    /// - Parameter offer: newest offer on the subscribe peer connection that the client continues.
    private func sendSnapshot(
        to client: LiveConnection, resumeToken: String, offer: Int?, _ arrival: Arrival
    ) throws(SignalingError) {
        let id = client.id
        // The snapshot contains what the following effects change, so that their events need not reach the client.
        client.outbox.detach()
        client.settleQueue()
        perform(try conference.resume(id, now: time.now).get())
        // Offers and changes of subscriptions may be among the missed events, except after a take-over, before which there are none.
        let isSubscriber = client.needsSnapshot && media.continuesSubscriber(of: id, at: offer)
        if !isSubscriber { media.closeSubscriber(of: id) }
        continueMedia()
        guard let snapshot = conference.snapshot(for: id, resumeToken: resumeToken, now: time.now) else {
            throw SignalingError(.resumeExpired)
        }
        let answer = ResumeRequest.Answer(
            connection: id, missed: 0, publishLost: isPublisherLost(of: client), subscribeLost: !isSubscriber,
            subscriptions: isSubscriber ? conference.subscriptions(of: id).map(\.stream) : nil)
        let text: ByteBuffer
        do throws(SignalingError) {
            text = try joinAnswers.message(
                arrival.request, answer, snapshot: completed(snapshot.answer, for: arrival.socket))
        } catch {
            perform(snapshot.effects)
            perform(conference.disconnect(id, reason: .networkLost, now: time.now))
            throw error
        }
        client.restart()
        attach(client, arrival)
        context.statistics.messagesSent(1)
        arrival.socket.send([text])
        noteResume(of: client, ["snapshot": "true"])
        perform(snapshot.effects)
        guard isSubscriber else { return }
        perform(conference.retellSubscriptions(of: id, now: time.now))
        media.releaseSubscriber(of: id)
        continueMedia()
    }

    private func attach(_ client: LiveConnection, _ arrival: Arrival) {
        // The relay may not have noticed yet that the old socket is dead.
        client.socket?.close(.normalClosure, "resumed on another connection")
        client.socket = arrival.socket
        arrival.socket.enterSession()
        arrival.socket.count(for: client.lease.holder, in: context.resources)
        client.settleQueue()
    }

    /// Returns whether a client that gets a snapshot has to publish again. This relay does not know whether a client of its lost home relay has
    /// published, unless its peer connection continues.
    private func isPublisherLost(of client: LiveConnection) -> Bool {
        media.publisher(of: client.id) == nil && (client.needsSnapshot || media.hasPublished(client.id))
    }

    /// Returns whether a client has published over a peer connection that no longer exists.
    private func hasLostPublisher(_ client: LiveConnection) -> Bool {
        media.hasPublished(client.id) && media.publisher(of: client.id) == nil
    }

    private func noteResume(of client: LiveConnection, _ details: Logger.Metadata) {
        context.statistics.resumed()
        logger.info(
            "client resumed", metadata: details.merging(["connection": "\(client.id)"], uniquingKeysWith: { $1 }))
    }
}
