import Conference
import Recording
import Signaling

/// Journal of a session beside its recordings (REC-2): chat, and when subsessions start and stop.
extension LiveSession {
    /// Nil while the users are not told of a recording.
    private var journal: JournalWriter? { conference.isRecorded ? environment.journal : nil }

    /// Notes a chat message to all users of a place. A message to one user is not recorded, and no chat of an encrypted session: all
    /// else that the relay stores of such a session is unreadable without its key.
    func noteInJournal(_ event: Event) {
        guard case .chat(let message) = event, message.to == nil, let journal, !conference.isEncrypted else { return }
        let sender = conference.user(message.from)
        let participant = RecordingSource.Participant(
            id: message.from.rawValue, name: sender?.name ?? message.name ?? "", identity: sender?.identity)
        let subsession = message.subsession.flatMap { id in
            conference.subsessionList.first { $0.id == id }?.name
        }
        journal.append(
            JournalEntry(
                time: message.time, event: .chat, participant: participant, subsession: subsession,
                text: message.text), session: engineName)
    }

    /// Notes the start and end of subsessions. If a recording begins during subsessions, their start has its time.
    func noteSubsessionsInJournal() {
        let areStarted = conference.subsessionStatus == .started
        guard areStarted || subsessionsAreNoted else { return }
        guard let journal else {
            subsessionsAreNoted = false
            return
        }
        guard areStarted != subsessionsAreNoted else { return }
        subsessionsAreNoted = areStarted
        journal.append(
            JournalEntry(time: ControlClock.wall, event: areStarted ? .subsessionsStarted : .subsessionsStopped),
            session: engineName)
    }
}
