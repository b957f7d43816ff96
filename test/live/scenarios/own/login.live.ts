import { describeFamily } from '../../families/family';
import { ENABLED_LOGIN, LOGIN } from '../../families/login';

describeFamily(LOGIN);
describeFamily(ENABLED_LOGIN);
