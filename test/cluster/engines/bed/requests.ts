import { readFileSync } from 'fs';
import { ControlPlane } from '../../control-plane';

/** A request that an API server answered, as its audit log has it. */
interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
}

/** What engines write about their own work. */
const OWN_GROUPS =
  /(^|\.)(fluxcd\.io|argoproj\.io|fleet\.cattle\.io|coordination\.k8s\.io|events\.k8s\.io)$/;
const OWN_RESOURCES = new Set([
  'events',
  'leases',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
]);

/** Counts what an engine writes to an API server, from the server's own audit log. */
export class Requests {
  private seen = 0;

  /** @param agent the user agents of the engine */
  public constructor(
    private readonly plane: ControlPlane,
    private readonly agent: RegExp,
  ) {}

  /** Forgets what was written so far. */
  public forget(): void {
    this.seen = this.lines().length;
  }

  /**
   * `<verb> <resource> <namespace>/<name>` of each object that was written, or tried to be, in
   * order; without dry runs, and without what the engine keeps for itself.
   */
  public get writes(): string[] {
    return this.lines()
      .slice(this.seen)
      .flatMap((line) => {
        const { verb, userAgent, requestURI, objectRef, responseStatus } = JSON.parse(
          line,
        ) as AuditEvent;
        if (!objectRef || !this.agent.test(userAgent ?? '') || requestURI.includes('dryRun=All')) {
          return [];
        }
        const { apiGroup = '', resource, subresource, namespace, name } = objectRef;
        if (OWN_GROUPS.test(apiGroup) || OWN_RESOURCES.has(resource)) {
          return [];
        }
        const object = [resource, subresource].filter(Boolean).join('/');
        const code = responseStatus?.code ?? 0;
        return [
          `${verb} ${object} ${namespace ? `${namespace}/` : ''}${name ?? ''}${code >= 300 ? ` (${code})` : ''}`,
        ];
      });
  }

  private lines(): string[] {
    return readFileSync(this.plane.auditFile, 'utf8').split('\n').filter(Boolean);
  }
}
