import { KUBERNETES } from '../families/kubernetes';
import { describeFamily } from '../families/family';

describeFamily(KUBERNETES);
