import { IConstruct } from 'constructs';
import { ISecretDelivery } from './delivery-step';

const CHOICE = Symbol.for('cdk8s-harvester.SecretsChoice');

/** How the secrets of a construct are kept, if that is chosen at the construct itself. */
export function secretChoiceAt(construct: IConstruct): ISecretDelivery | undefined {
  return (construct as { [CHOICE]?: ISecretDelivery })[CHOICE];
}

/** Chooses how the secrets of a construct, and of what it contains and wrote, are kept. */
export function chooseSecrets(construct: IConstruct, secrets: ISecretDelivery): void {
  Object.defineProperty(construct, CHOICE, { value: secrets, configurable: true });
}
