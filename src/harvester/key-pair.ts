import { IConstruct } from 'constructs';
import { IHarvesterTarget } from '../model/target';

/**
 * An SSH public key on a Harvester: one that the program declares, or one that is there.
 */
export interface IKeyPair extends IConstruct {
  /** The name of the KeyPair object. */
  readonly keyPairName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`. */
  readonly keyPairId: string;
  /**
   * The key in OpenSSH's format.
   * @default - not known to the program
   */
  readonly publicKey?: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}
