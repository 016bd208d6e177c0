import Signaling

/// Synchronization with the relay: after each login the missed changes, then each change as it happens.
extension MessagingCore {
    func take(login result: Result<LoginRequest.Answer, SignalingError>) async {
        switch result {
        case .failure(let error): await refused(error)
        case .success(let login):
            do throws(SessionError) {
                let start = try await store.begin(login)
                guard !isOver else { return }
                board.update { $0.user = login.user }
                if start.isReset { board.send(.storeReset) }
                askForChanges(since: start.since)
            } catch {
                await failed(error)
            }
        }
    }

    private func askForChanges(since cursor: Int64) {
        let request = ConversationChangesRequest(since: cursor, count: Self.changesCount)
        ask(request, .changes)
    }

    func take(changes result: Result<ConversationChangesRequest.Answer, SignalingError>) async {
        switch result {
        case .failure(let error): await refused(error)
        case .success(let changes):
            do throws(SessionError) {
                let change = try await store.take(
                    changes.conversations, deleted: changes.deleted, cursor: changes.cursor, isLive: false)
                for event in change.events { board.send(event) }
            } catch {
                return await failed(error)
            }
            guard !isOver else { return }
            if changes.hasMore {
                askForChanges(since: changes.cursor)
            } else {
                await stepIn()
            }
        }
    }

    /// Handles a refused login: tries again after a temporary error, otherwise fails.
    private func refused(_ error: SignalingError) async {
        guard error.code != .notConnected else { return }
        guard !error.isPassing, error.code != .storageFailed else { return restart(after: error.retryAfter ?? 1) }
        await failed(SessionError(error))
    }

    func take(_ event: MessagingEvent) async {
        do throws(SessionError) {
            switch event {
            case .messageReceived(let body):
                try await store.take(body.message, isLive: isInStep)
                board.send(.messageReceived(body.message))
            case .notification(let body): board.send(.notification(body.message))
            case .conversationsChanged(let body):
                let change = try await store.take(
                    body.conversations, deleted: body.deleted, cursor: isInStep ? body.cursor : nil, isLive: isInStep)
                for event in change.events { board.send(event) }
            // The store reports its own total, which leaves out conversations hidden on this device.
            case .totalUnreadChanged: break
            case .groupChanged(let body): board.send(.groupChanged(body))
            case .groupDismissed(let body): board.send(.groupDismissed(body.group))
            }
        } catch {
            await failed(error)
        }
    }
}
