import ArgumentParser

@main
struct Millrace: ParsableCommand {
}
