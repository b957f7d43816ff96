import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { GLOBAL_DATA } from './cloud-credential.kind';
import { know } from '../../core/app/known-objects';
import { IRancherTarget, rancherTargetOf } from '../../core/app/target';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, failUnlessLiteral, parsed } from '../../core/rule/problem';
import { checkCertificates } from '../../core/text/certificates';
import { ANNOTATION_NAME } from '../../guest/cloud-provider/cloud-provider.kind';
import { CREDENTIAL_DRIVER, S3_CREDENTIAL_PREFIX, S3_DRIVER } from '../../guest/cluster/cluster.kind';
import { ANNOTATION_CREATOR_ID } from '../members/creator.kind';

/**
 * A cloud credential of a Rancher for S3: one that the program declares, or one that is there.
 */
export interface IS3Credential extends IConstruct {
  /** As `etcd.s3.cloudCredentialName` takes it: `cattle-global-data:<name>`. */
  readonly s3CredentialName: string;
  /** The Rancher that holds it. */
  readonly rancher: IRancherTarget;
}

/**
 * Properties of a cloud credential for S3.
 */
export interface S3CredentialProps {
  /** The access key. */
  readonly accessKey: SecretValue;
  /** The secret key. */
  readonly secretKey: SecretValue;
  /** The name of the Secret in cattle-global-data. @default - `cc-s3-` and the id of the construct */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the id of the construct */
  readonly displayName?: string;
  /**
   * The id of the user of Rancher, e.g. `u-ana`, that may see and use it in the UI. Without, Rancher's log repeats that there is none.
   * @default - nobody but administrators
   */
  readonly creatorId?: string;
  /** The bucket where a cluster names none. @default - none */
  readonly bucket?: string;
  /** The folder where a cluster names none. @default - none */
  readonly folder?: string;
  /** The region where a cluster names none. @default - none */
  readonly region?: string;
  /** Host and port where a cluster names none. @default - Amazon's own */
  readonly endpoint?: string;
  /** Certificates in PEM form that the endpoint's certificate is signed by. @default - public authorities */
  readonly endpointCa?: string;
  /**
   * Whether the certificate of the endpoint is taken unseen.
   * @default false
   */
  readonly skipSslVerify?: boolean;
}

/**
 * A cloud credential for S3 on Rancher: a Secret in `cattle-global-data`, for snapshots of etcd.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/user-settings/manage-cloud-credentials
 */
export class S3Credential extends Construct implements IS3Credential {
  /**
   * A credential that is there.
   *
   * @param scope below a RancherChart
   * @param id of the construct
   * @param name of its Secret in `cattle-global-data`, e.g. `cc-abcde`
   */
  public static fromName(scope: Construct, id: string, name: string): IS3Credential {
    return new ExistingS3Credential(scope, id, name);
  }

  public readonly s3CredentialName: string;
  public readonly rancher: IRancherTarget;

  constructor(scope: Construct, id: string, props: S3CredentialProps) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'S3Credential');
    const name = props.name ?? `cc-s3-${id.toLowerCase()}`;
    failUnlessLiteral(this, 'name', name);
    failOnErrors(this, [...checkName(name), ...checkCertificates('endpointCa', props.endpointCa)]);
    this.s3CredentialName = `${GLOBAL_DATA}:${name}`;
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name,
        namespace: GLOBAL_DATA,
        annotations: {
          [ANNOTATION_NAME]: props.displayName ?? id,
          [CREDENTIAL_DRIVER]: S3_DRIVER,
          ...(props.creatorId === undefined ? {} : { [ANNOTATION_CREATOR_ID]: props.creatorId }),
        },
      },
      type: 'Opaque',
      data: this.data(props),
    });
    note(secret, {
      deletion: { policy: 'delete', reason: 'clusters that keep snapshots of etcd with it can not be changed any more, nor restored from there' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }

  private data(props: S3CredentialProps): { [key: string]: string } {
    const { bucket, folder, region, endpoint, endpointCa, skipSslVerify } = props;
    const values = {
      defaultBucket: bucket,
      defaultFolder: folder,
      defaultRegion: region,
      defaultEndpoint: endpoint,
      defaultEndpointCA: endpointCa,
      defaultSkipSSLVerify: skipSslVerify === undefined ? undefined : String(skipSslVerify),
    };
    const data = {
      accessKey: parsed(this, 'accessKey', () => props.accessKey._base64()),
      secretKey: parsed(this, 'secretKey', () => props.secretKey._base64()),
      ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === undefined ? undefined : Buffer.from(value).toString('base64')])),
    };
    return Object.fromEntries(Object.entries(data).flatMap(([key, value]) => (value === undefined ? [] : [[`${S3_CREDENTIAL_PREFIX}${key}`, value]])));
  }
}

class ExistingS3Credential extends Construct implements IS3Credential {
  public readonly s3CredentialName: string;
  public readonly rancher: IRancherTarget;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'S3Credential.fromName');
    const bare = name.startsWith(`${GLOBAL_DATA}:`) ? name.slice(GLOBAL_DATA.length + 1) : name;
    failOnErrors(this, checkName(bare));
    this.s3CredentialName = `${GLOBAL_DATA}:${bare}`;
    know(this, { target: this.rancher, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace: GLOBAL_DATA, name: bare });
  }
}

function checkName(name: string): Problem[] {
  if (RFC1123_LABEL.test(name)) { return []; }
  return [{ path: 'name', value: name, message: 'is no name of a cloud credential', fix: 'use up to 63 of a-z, 0-9 and hyphens' }];
}
