import { ApiObject, Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { noteSetting } from './harvester-setting';
import { harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { fail, failOnErrors } from '../../core/rule/problem';
import { checkCertificates, pemBlocks } from '../../core/text/certificates';

/**
 * The Harvester setting `additional-ca`: the certificate authorities that a Harvester and its nodes trust in addition to the public ones.
 *
 * A Harvester has one. Every construct that needs an authority adds it; each certificate is written once, in the order of `trust`. Without one,
 * nothing is written. A change restarts Harvester's own pods.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index#additional-ca
 * @example
 * AdditionalCa.of(dc1).trust(readFileSync('registry-ca.pem', 'utf8'));
 */
export class AdditionalCa extends Construct {
  /**
   * The authorities of the Harvester that a construct belongs to.
   *
   * @param scope a HarvesterChart, or anything below one
   */
  public static of(scope: IConstruct): AdditionalCa {
    const chart = harvesterTargetOf(scope, 'AdditionalCa') as unknown as Construct;
    const id = 'AdditionalCa';
    const existing = chart.node.tryFindChild(id);
    if (existing && !('trust' in existing)) {
      fail(chart, [{ path: id, message: 'cannot be the ID of another construct', fix: 'give that construct another ID' }]);
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
   * @param pem one or more certificates in PEM form
   */
  public trust(pem: string): void {
    failOnErrors(this, checkCertificates('pem', pem));
    for (const block of pemBlocks(pem)) { this.certificates.add(`${block.replace(/\r\n?/g, '\n').trim()}\n`); }
    if (!this.node.tryFindChild('Resource')) { this.write(); }
  }

  private write(): void {
    const setting = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'Setting',
      metadata: { name: 'additional-ca' },
      value: Lazy.any({ produce: () => [...this.certificates].join('') }),
    });
    noteSetting(setting, 'additional-ca');
  }
}
