import { ApiObject, Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { SETTING, notesOfSetting } from './setting-notes';
import { note } from '../../core/construct/object-notes';
import { chartOf, harvesterTargetOf } from '../../core/construct/target';
import { ADDITIONAL_CA } from '../../core/manifest/names';
import { checkCertificates, pemBlocks } from '../../core/problem/certificates';
import { fail, failOnErrors } from '../../core/problem/problem';

/**
 * The Harvester setting `additional-ca`: the certificate authorities that a Harvester and its nodes
 * trust in addition to the public ones.
 *
 * A Harvester has one. Every construct that needs an authority adds it; each certificate is written
 * once, in the order of `add`. Without one, nothing is written. A change restarts Harvester's own
 * pods.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index#additional-ca
 * @example
 * AdditionalCa.of(dc1).add(readFileSync('registry-ca.pem', 'utf8'));
 */
export class AdditionalCa extends Construct {
  /** The authorities of the Harvester that a construct belongs to. */
  public static of(scope: IConstruct): AdditionalCa {
    const chart = chartOf(harvesterTargetOf(scope, 'AdditionalCa'));
    const id = 'AdditionalCa';
    const existing = chart.node.tryFindChild(id);
    if (existing && !('add' in existing)) {
      fail(chart, [
        {
          path: id,
          message: 'cannot be the ID of another construct',
          fix: 'give that construct another ID',
        },
      ]);
    }
    return (existing as AdditionalCa | undefined) ?? new AdditionalCa(chart, id);
  }

  private readonly certificates = new Set<string>();

  private constructor(scope: Construct, id: string) {
    super(scope, id);
  }

  /**
   * Adds authorities.
   *
   * @param caCertificates one or more certificates in PEM form
   */
  public add(caCertificates: string): void {
    failOnErrors(this, checkCertificates('caCertificates', caCertificates));
    for (const block of pemBlocks(caCertificates)) {
      this.certificates.add(`${block.replace(/\r\n?/g, '\n').trim()}\n`);
    }
    if (this.node.tryFindChild('Resource')) {
      return;
    }
    const value = Lazy.any({ produce: () => [...this.certificates].join('') });
    note(
      new ApiObject(this, 'Resource', { ...SETTING, metadata: { name: ADDITIONAL_CA }, value }),
      { ...notesOfSetting(ADDITIONAL_CA), props: { value: 'caCertificates' } },
    );
  }
}
