import Conference
import Recording
import Signaling

/// Journal of a session beside its recordings (REC-2): chat, and when subsessions start and stop.
extension LiveSession {
    private var journal: JournalWriter? {
        environment.recorded.isRecorded(session: engineName) ? environment.journal : nil
    }

    /// Notes a chat message to all users of a place. A message to one user is not recorded; the chat of a session whose media the relay cannot read
    /// is not either, because its users do not expect the relay to keep any of it.
    func noteInJournal(_ event: Event) {
        guard case .chat(let message) = event, message.to == nil, !conference.requiresEncryption, let journal else {
            return
        }
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

    func noteSubsessionsInJournal() {
        let areStarted = conference.subsessionStatus == .started
        guard areStarted != subsessionsAreNoted else { return }
        subsessionsAreNoted = areStarted
        journal?.append(
            JournalEntry(time: ControlClock.wall, event: areStarted ? .subsessionsStarted : .subsessionsStopped),
            session: engineName)
    }
}
