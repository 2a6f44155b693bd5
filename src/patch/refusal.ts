// Stage: patch. Why a change is not written into the source.

export class Refusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Refusal';
  }
}
