# One training step of the hybrid objective in JAX, jit and scan, for one window on one core; STEP.md defines the step.
# Usage: jax_step.py P2|P96 [SECONDS]. Prints one line of JSON.
import json,sys,time,os
case=sys.argv[1]; win=float(sys.argv[2]) if len(sys.argv)>2 else 5
os.environ["XLA_FLAGS"]="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax,jax.numpy as jnp,optax
B=32
p=2 if case=="P2" else 96
k0=jax.random.PRNGKey(0)
ks=jax.random.split(k0,10)
sizes=[4+p,256,256,256,p]
params={"W":[jax.random.normal(ks[i],(sizes[i],sizes[i+1]))/jnp.sqrt(sizes[i]) for i in range(4)],"b":[jnp.zeros(sizes[i+1]) for i in range(4)],"h":jax.random.normal(ks[5],(2,2))}
th0=jax.random.normal(ks[6],(p,))*0.5
X=jax.random.normal(ks[7],(4,24)); W2=jax.random.normal(ks[8],(16,16))/4
def F(th):
    if p==2: return (th[:,0:1]*jax.nn.sigmoid(0.7*1.3)+0.9*jax.nn.sigmoid(th[:,1:2]*1.3))
    W1=th[:,:64].reshape(-1,16,4); W3=th[:,64:].reshape(-1,2,16)
    return (W3@jnp.tanh(W2@jnp.tanh(W1@X))).reshape(th.shape[0],-1)
def mlp(P,x):
    for i in range(3): x=jax.nn.silu(x@P["W"][i]+P["b"][i])
    return x@P["W"][3]+P["b"][3]
def expm(h,t):
    # 2x2 closed form via scaling Taylor: exp(th), B x 2 x 2
    A=t[:,None,None]*h/8
    E=jnp.eye(2)+A@(jnp.eye(2)+A/2@(jnp.eye(2)+A/3@(jnp.eye(2)+A/4@(jnp.eye(2)+A/5@(jnp.eye(2)+A/6)))))
    E=E@E;E=E@E;return E@E
I=jnp.eye(2)
def lossfn(P,key):
    h=P["h"]/jnp.linalg.norm(P["h"])
    k1,k2=jax.random.split(key)
    theta=th0+0.2*jax.random.normal(k1,(B,p))
    t=jax.random.uniform(k2,(3,B),minval=-.5,maxval=.5)
    g1,g2,q=[expm(h,t[i]) for i in range(3)]
    flat=lambda g: g.reshape(B,4)
    Ib=jnp.broadcast_to(I.reshape(1,4),(B,4)); hb=jnp.broadcast_to(h.reshape(1,4),(B,4))
    inp=lambda g,x: jnp.concatenate([g,x],1)
    z=jnp.zeros((B,p))
    # stage 0 : q at theta (detached) ; 
    o=mlp(jax.lax.stop_gradient(P),jnp.concatenate([inp(flat(q),theta),inp(Ib,theta)])) 
    aq=jax.lax.stop_gradient(theta+o[:B]-o[B:])
    x=jnp.concatenate([theta[:B//2],aq[B//2:]])
    # stage 1: stacked primal/tangent: (I,x;h) (g1,x;h g1)  ; primal only (g2g1,x)
    pr=jnp.concatenate([inp(Ib,x),inp(flat(g1),x)])
    ta=jnp.concatenate([inp(hb,z),inp(flat(h@g1),z)])
    bp,bt=jax.jvp(lambda u: mlp(P,u),(pr,),(ta,))
    bI=bp[:B]; v,tg=bt[:B],bt[B:]
    a1=x+bp[B:]-bI; a21=x+mlp(P,inp(flat(g2@g1),x))-bI
    # stage 2: primal/tangent (I,a1;h)  ; primal only (g2,a1)
    bI1,va1=jax.jvp(lambda u: mlp(P,u),(inp(Ib,a1),),(inp(hb,z),))
    a2=a1+mlp(P,inp(flat(g2),a1))-bI1
    Fx,dF=jax.jvp(F,(x,),(v,))
    sq=lambda r: jnp.mean(jnp.sum(r*r,1))
    inv=sq(dF); assoc=sq(tg-va1); comp=sq(a2-a21); fin=sq(F(a1)-Fx)
    scale=(sq(v[:B//2])/.25-1)**2
    return 10*inv+comp+assoc+10*fin+scale,(inv,assoc,comp,fin,scale)
opt=optax.chain(optax.clip_by_global_norm(10.),optax.adam(1e-3))
st=opt.init(params)
@jax.jit
def step(P,st,key):
    key,k=jax.random.split(key)
    (l,aux),G=jax.value_and_grad(lossfn,has_aux=True)(P,k)
    u,st=opt.update(G,st); return optax.apply_updates(P,u),st,key,aux
def many(P,st,key,n):
    def f(c,_):
        P,st,key,aux=step(*c); return (P,st,key),aux
    return jax.lax.scan(f,(P,st,key),None,length=n)
many=jax.jit(many,static_argnums=3,donate_argnums=(0,1))
key=jax.random.PRNGKey(1)
P=params
for _ in range(6): (P,st,key),aux=many(P,st,key,500)
jax.block_until_ready(P)
t0=time.perf_counter();n=0
while time.perf_counter()-t0<win:
    (P,st,key),aux=many(P,st,key,500); jax.block_until_ready(P); n+=500
rate=n/(time.perf_counter()-t0)
losses=dict(zip(("invariance","transport","composition","preservation","scale"),(float(a[-1]) for a in aux)))
print(json.dumps({"engine":"jax_scan","case":case,"steps_per_second":rate,"losses":losses,"version":"JAX "+jax.__version__}))
