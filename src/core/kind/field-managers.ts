/**
 * Names by which tools write objects, as `metadata.managedFields` and conflicts show them, and what
 * they leave on objects.
 */

/**
 * Names of tools that apply whole manifests: an object belongs to one of them, or to this program.
 */
export const FIELD_MANAGER = {
  /**
   * `kubectl apply`.
   * @see kubernetes/kubernetes:staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go FieldManagerClientSideApply
   */
  KUBECTL_APPLY: 'kubectl-client-side-apply',
  /** `kubectl apply --server-side`. @see the same, fieldManagerServerSideApply */
  KUBECTL: 'kubectl',
  /**
   * `kubectl create`.
   * @see kubernetes/kubernetes:staging/src/k8s.io/kubectl/pkg/cmd/create/create.go
   */
  KUBECTL_CREATE: 'kubectl-create',
  /** Its own name is its program's. @see helm/helm:pkg/kube/client.go getManagedFieldsManager */
  HELM: 'helm',
  /**
   * Fleet deploys by Helm's library, in a program of this name.
   * @see rancher/fleet:internal/helmdeployer
   */
  FLEET: 'fleetagent',
  /**
   * The server's own: fields of an object that had no managers when it was first applied.
   * @see kubernetes/apimachinery:pkg/util/managedfields/internal/skipnonapplied.go; seen on a Kubernetes 1.34.4 API server
   */
  BEFORE_FIRST_APPLY: 'before-first-apply',
} as const;

/** Managers whose objects may well have moved into the program, so that it is worth a hint. */
export const FORMER_WRITERS: readonly string[] = Object.values(FIELD_MANAGER);

/**
 * By this name `kubectl apply --server-side` keeps the annotation of `kubectl apply` up to date.
 * @see kubernetes/kubernetes:staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go fieldManagerLastAppliedAnnotation
 */
export const KUBECTL_LAST_APPLIED_MANAGER = 'kubectl-last-applied';

/**
 * What `kubectl apply` wrote last, as JSON.
 * @see kubernetes/api:core/v1/annotation_key_constants.go LastAppliedConfigAnnotation
 */
export const ANNOTATION_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
